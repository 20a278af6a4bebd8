// The frame: navigation, the table that is worked on, notices, the script.

import { useEffect, useMemo, useState } from "preact/hooks";
import { enter, type Trouble } from "./api";
import { CompareScreen } from "./compare";
import { GroupsScreen } from "./groups";
import { LabScreen } from "./lab";
import { Notice, type Script, ScriptDock, ShellContext, troubleOf, Waiting } from "./parts";
import { PredictScreen } from "./predict";
import { TableScreen } from "./table";
import { TreeScreen } from "./tree";

const SCREENS = [
  ["table", "Table"],
  ["compare", "Compare"],
  ["tree", "Tree workshop"],
  ["lab", "Lab"],
  ["predict", "Predict"],
  ["groups", "Groups and axes"],
] as const;
const NEED_TABLE = ["compare", "tree", "groups"];

const ICONS: Record<string, string> = {
  table: "M3 5h18v14H3zM3 10h18M9 5v14",
  compare: "M4 7h9M4 12h15M4 17h6M16 5v4M19 10v4M13 15v4",
  tree: "M12 4v5M12 9L6 14M12 9l6 5M4 14h4v4H4zM16 14h4v4h-4zM10 2h4v4h-4z",
  lab: "M4 20C8 8 14 16 20 4M6 8h.01M9 6h.01M15 18h.01M18 15h.01",
  predict: "M4 12h12M12 7l5 5-5 5M20 5v14",
  groups: "M7 8h.01M10 6h.01M9 10h.01M16 15h.01M18 17h.01M15 18h.01M8 8m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M17 17m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
};

/** What the address says: the screen, and the id that it shows. */
function placeOf(hash: string): { screen: string; id: string | null; table: string | null } {
  const [screen = "table", id = ""] = hash.replace(/^#\/?/, "").split("?")[0].split("/");
  const table = /[?&]table=([0-9a-f]{16})/.exec(hash)?.[1] ?? null;
  const known = SCREENS.some(([name]) => name === screen);
  return { screen: known ? screen : "table", id: /^[0-9a-f]{16}$/.test(id) ? id : null, table };
}

export const go = (screen: string, id: string | null, table: string | null) => {
  location.hash = `#/${screen}${id ? `/${id}` : ""}${table ? `?table=${table}` : ""}`;
};

export function App() {
  const [state, setState] = useState<"entering" | "in" | "out">("entering");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [said, setSaid] = useState("");
  const [script, setScript] = useState<Script | null>(null);
  const [place, setPlace] = useState(placeOf(location.hash));
  const [version, setVersion] = useState("");

  useEffect(() => {
    const moved = () => {
      setPlace(placeOf(location.hash));
      setTrouble(null);
      setScript(null);
    };
    enter().then(
      (session) => {
        setVersion(session.version);
        if (!placeOf(location.hash).table && session.opened) go("table", null, session.opened);
        window.addEventListener("hashchange", moved);
        moved();
        setState("in");
      },
      (error) => {
        setTrouble(troubleOf(error));
        setState("out");
      },
    );
    return () => window.removeEventListener("hashchange", moved);
  }, []);

  const shell = useMemo(
    () => ({
      fail: (error: unknown) => {
        if ((error as Error)?.name === "AbortError") return;
        setTrouble(troubleOf(error));
        window.scrollTo({ top: 0 });
      },
      say: (text: string) => {
        setSaid(text);
        setTimeout(() => setSaid(""), 4000);
      },
      setScript,
    }),
    [],
  );
  const { screen, id, table } = place;

  if (state !== "in") {
    return (
      <main class="gate">
        <h1>Branchline Studio</h1>
        {state === "entering" ? <Waiting text="Opening …" /> : <Locked trouble={trouble} />}
      </main>
    );
  }
  return (
    <ShellContext.Provider value={shell}>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        Skip to the content
      </a>
      <div class="frame">
        <header class="side">
          <p class="brand">
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M12 3v7M12 10L5 20M12 10l7 10" />
            </svg>
            Branchline <span>Studio</span>
          </p>
          <nav aria-label="Screens">
            {SCREENS.map(([name, words]) => {
              const off = NEED_TABLE.includes(name) && !table;
              return (
                <a
                  key={name}
                  href={`#/${name}${table ? `?table=${table}` : ""}`}
                  aria-current={screen === name ? "page" : undefined}
                  aria-disabled={off ? "true" : undefined}
                  title={off ? "Choose a table first" : undefined}
                  onClick={(event) => off && event.preventDefault()}
                >
                  <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path d={ICONS[name]} />
                  </svg>
                  <span>{words}</span>
                </a>
              );
            })}
          </nav>
          <p class="foot">Version {version}. Everything stays on this machine.</p>
        </header>
        <main id="main" tabIndex={-1}>
          {trouble && <Notice trouble={trouble} onClose={() => setTrouble(null)} />}
          <p class="said" role="status">
            {said}
          </p>
          {screen === "table" && <TableScreen key={table} table={table} />}
          {screen === "compare" && table && <CompareScreen key={table + id} table={table} run={id} />}
          {screen === "tree" && table && <TreeScreen key={table} table={table} id={id} />}
          {screen === "lab" && <LabScreen table={table} />}
          {screen === "predict" && <PredictScreen key={id} id={id} table={table} />}
          {screen === "groups" && table && <GroupsScreen key={table} table={table} />}
          {NEED_TABLE.includes(screen) && !table && <TableScreen table={null} />}
        </main>
        <ScriptDock script={script} />
      </div>
    </ShellContext.Provider>
  );
}

function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Locked({ trouble }: { trouble: Trouble | null }) {
  return (
    <>
      {trouble && <Notice trouble={trouble} />}
      <p>
        The studio opens with the address that the terminal shows. It holds a secret that changes
        with each start.
      </p>
    </>
  );
}
