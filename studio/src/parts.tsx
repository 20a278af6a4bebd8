// What all screens share: drawings, notices, the script, waiting, small inputs.

import type { ComponentChildren } from "preact";
import { createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, type Trouble } from "./api";

export interface Script {
  python: string;
  command: string;
}

interface Shell {
  fail: (error: unknown) => void;
  say: (text: string) => void;
  setScript: (script: Script | null) => void;
}

export const ShellContext = createContext<Shell>({
  fail: () => {},
  say: () => {},
  setScript: () => {},
});
export const useShell = () => useContext(ShellContext);

/** Run something that may fail; return whether it is being waited for, and the runner. */
export function useTask(): [boolean, (task: () => Promise<void>) => Promise<void>] {
  const [busy, setBusy] = useState(0);
  const { fail } = useShell();
  const run = async (task: () => Promise<void>) => {
    setBusy((n) => n + 1);
    try {
      await task();
    } catch (error) {
      fail(error);
    } finally {
      setBusy((n) => n - 1);
    }
  };
  return [busy > 0, run];
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ApiError) return error.trouble;
  return { code: null, message: String((error as Error)?.message ?? error) };
}

// -- drawings ------------------------------------------------------------------------------------

const sheets = new Map<string, CSSStyleSheet>();

function sheetOf(css: string): CSSStyleSheet {
  let sheet = sheets.get(css);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    if (sheets.size > 60) sheets.clear();
    sheets.set(css, sheet);
  }
  return sheet;
}

/** Make a drawing of SVG text; scripts, links and handlers are left out, styles become a sheet. */
function drawingOf(svg: string): { element: SVGSVGElement; css: string } | null {
  let css = "";
  const bare = svg.replace(/<style>([^<]*)<\/style>/g, (_, rules: string) => {
    css += rules;
    return "";
  });
  const root = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  if (root.localName !== "svg") return null;
  for (const one of Array.from(root.querySelectorAll("*"))) {
    if (["style", "script", "foreignObject", "a", "use", "image"].includes(one.localName)) one.remove();
    for (const { name } of Array.from(one.attributes)) {
      if (name.startsWith("on") || name.includes("href")) one.removeAttribute(name);
    }
  }
  return { element: document.importNode(root, true) as unknown as SVGSVGElement, css };
}

interface DrawingProps {
  svg: string | null | undefined;
  label?: string;
  zoom?: number;
  chosen?: number | null;
  onPick?: (node: number) => void;
}

const PICKED =
  "g[data-node]{cursor:pointer;outline:none}g[data-node]:hover .box,g[data-node]:focus-visible .box" +
  "{stroke-opacity:1;stroke-width:2}g[data-node].chosen .box{stroke:var(--accent)!important;stroke-opacity:1!important;" +
  "stroke-width:3!important}g[data-node]:focus-visible text{text-decoration:underline}";

/** A drawing of the server inside a shadow root, so that its styles hold for it alone. */
export function Drawing({ svg, label, zoom, chosen, onPick }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const pick = useRef(onPick);
  pick.current = onPick;
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    shadow.replaceChildren();
    const made = svg ? drawingOf(svg) : null;
    if (!made) return;
    const { element, css } = made;
    const size = zoom ? "svg{display:block}" : "svg{display:block;max-width:100%;height:auto}";
    shadow.adoptedStyleSheets = [sheetOf(css), sheetOf(size + PICKED)];
    if (label) element.setAttribute("aria-label", label);
    if (pick.current) makePickable(element, (node) => pick.current?.(node));
    if (zoom && zoom !== 1) {
      for (const side of ["width", "height"]) {
        element.setAttribute(side, String(zoom * Number(element.getAttribute(side))));
      }
    }
    shadow.append(element);
  }, [svg, label, zoom]);
  useEffect(() => {
    for (const one of place.current?.shadowRoot?.querySelectorAll("g[data-node]") ?? []) {
      one.classList.toggle("chosen", one.getAttribute("data-node") === String(chosen));
    }
  }, [svg, chosen, zoom]);
  return <div class="drawing" ref={place} />;
}

/** Let nodes of a tree be chosen: their numbers stand in the last line of their hints. */
function makePickable(root: SVGSVGElement, onPick: (node: number) => void) {
  root.setAttribute("role", "group");
  for (const title of Array.from(root.querySelectorAll("g > title"))) {
    const lines = (title.textContent ?? "").trim().split("\n");
    const node = /^node (\d+)$/.exec(lines[lines.length - 1])?.[1];
    const group = title.parentElement;
    if (node === undefined || !group) continue;
    group.setAttribute("data-node", node);
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", `Node ${node}: ${lines.slice(0, -1).join(", ")}`);
    group.addEventListener("click", () => onPick(Number(node)));
    group.addEventListener("keydown", (event) => {
      const key = (event as unknown as KeyboardEvent).key;
      if (key === "Enter" || key === " ") {
        event.preventDefault();
        onPick(Number(node));
      }
    });
  }
}

// -- words ---------------------------------------------------------------------------------------

export function Notice({ trouble, onClose }: { trouble: Trouble; onClose?: () => void }) {
  const repair = trouble.repair?.flag;
  return (
    <div class="notice" role="alert">
      <div>
        <p>{trouble.message}</p>
        {repair && (
          <p>
            To mend it: <code>{repair}</code>
          </p>
        )}
        {trouble.code && (
          <p class="quiet">
            More: <code>branchline errors {trouble.code}</code>
          </p>
        )}
      </div>
      {onClose && (
        <button class="plain" onClick={onClose} aria-label="Close this message">
          ✕
        </button>
      )}
    </div>
  );
}

export function Waiting({ text }: { text: string }) {
  return (
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true" /> {text}
    </p>
  );
}

export function ScriptDock({ script }: { script: Script | null }) {
  const [which, setWhich] = useState<"command" | "python">("command");
  const [copied, setCopied] = useState(false);
  if (!script) return null;
  const text = script[which];
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <section class="dock" aria-label="The same in the command line and in Python">
      <div class="dock-head">
        <div class="segments" role="group" aria-label="Language">
          <button aria-pressed={which === "command"} onClick={() => setWhich("command")}>
            Command line
          </button>
          <button aria-pressed={which === "python"} onClick={() => setWhich("python")}>
            Python
          </button>
        </div>
        <button onClick={copy}>{copied ? "Copied" : "Copy"}</button>
      </div>
      <pre tabIndex={0} aria-label={which === "command" ? "Command line" : "Python"}>
        {text}
      </pre>
    </section>
  );
}

// -- inputs --------------------------------------------------------------------------------------

export function Field({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: (string | [string, string])[];
  onChange: (value: string) => void;
  hint?: string;
}

export function Select({ label, value, options, onChange, hint }: SelectProps) {
  return (
    <Field label={label} hint={hint}>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((one) => {
          const [name, words] = Array.isArray(one) ? one : [one, one];
          return (
            <option key={name} value={name} selected={name === value}>
              {words}
            </option>
          );
        })}
      </select>
    </Field>
  );
}

interface SliderProps {
  label: string;
  value: number;
  low: number;
  high: number;
  isLog?: boolean;
  isWhole?: boolean;
  words?: string;
  onChange: (value: number) => void;
}

/** A slider; along a logarithmic scale where small and large values matter alike. */
export function Slider({ label, value, low, high, isLog, isWhole, words, onChange }: SliderProps) {
  const id = useId();
  const to = (v: number) => (isLog ? Math.log10(v) : v);
  const from = (v: number) => (isLog ? Number((10 ** v).toPrecision(3)) : v);
  const step = isWhole && !isLog ? 1 : (to(high) - to(low)) / 200;
  const shown = words ?? short(value);
  return (
    <div class="slider">
      <label for={id}>
        {label} <output>{shown}</output>
      </label>
      <input
        id={id}
        type="range"
        min={to(low)}
        max={to(high)}
        step={step}
        value={to(value)}
        aria-valuetext={shown}
        onInput={(event) => {
          const raw = from(Number(event.currentTarget.value));
          onChange(isWhole ? Math.round(raw) : raw);
        }}
      />
    </div>
  );
}

export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Math.abs(value) >= 10000 || (value !== 0 && Math.abs(value) < 0.001)) {
    return Math.abs(value) >= 10000 ? Math.round(value).toLocaleString("en") : value.toExponential(1);
  }
  return String(Number(value.toPrecision(4)));
}

export const percent = (share: number) =>
  share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;

export const count = (n: number, one: string, many = `${one}s`) =>
  `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
