// The tree workshop: the drawing, and beside it what can be asked of a tree and done to it.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, post } from "./api";
import { go } from "./app";
import { count, Drawing, Field, Select, useShell, useTask, Waiting } from "./parts";
import { AskPanel, NodePanel, PathPanel, RulesPanel, SizePanel, StabilityPanel } from "./tree_panels";

const METHODS: [string, string][] = [
  ["tree", "Branchline's tree"],
  ["c45", "C4.5"],
  ["cart", "CART"],
  ["id3", "ID3"],
  ["one_rule", "One rule"],
  ["stump", "Stump"],
];
const TABS: [string, string][] = [
  ["node", "Node"],
  ["size", "Size"],
  ["rules", "Rules"],
  ["path", "A row's path"],
  ["ask", "Ask me"],
  ["stability", "Stability"],
];

export interface Work {
  tree: any;
  edit: (edit: any) => Promise<void>;
  settings: (settings: any) => Promise<void>;
  show: (svg: string | null) => void;
  busy: boolean;
}

export function TreeScreen({ table, id }: { table: string; id: string | null }) {
  const [tree, setTree] = useState<any>(null);
  const [node, setNode] = useState<number | null>(0);
  const [tab, setTab] = useState("node");
  const [shown, setShown] = useState<string | null>(null);
  const [busy, run] = useTask();
  const { fail, say, setScript } = useShell();
  const take = (found: any) => {
    setTree(found);
    setScript(found.script);
    setShown(null);
    setNode((old) => (old !== null && found.nodes.some((one: any) => one.node === old) ? old : 0));
  };

  useEffect(() => {
    if (tree && tree.tree.id === id) return;
    void run(async () => {
      if (id) return take(await get(`trees/${id}`));
      const known = await get(`trees?table=${table}`);
      const found = known.length ? known[0] : (await post("trees", { table })).tree;
      go("tree", found.id, table);
    });
  }, [table, id]);

  /** Send a change; when another tab was faster, show what it did. */
  const change = (path: string, body: any) =>
    run(async () => {
      try {
        take(await post(`trees/${tree.tree.id}/${path}`, { revision: tree.tree.revision, ...body }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) take(await get(`trees/${tree.tree.id}`));
        fail(error);
      }
    });

  if (!tree) return busy ? <Waiting text="Growing the tree …" /> : <NoTree table={table} />;
  const work: Work = {
    tree,
    busy,
    show: setShown,
    edit: (edit) => change("edit", { action: "edit", edit }),
    settings: (settings) => change("settings", { settings }),
  };
  const { settings } = tree.tree;
  return (
    <div class="page workshop">
      <div class="heading">
        <h1>
          A tree for {tree.target} <span class="quiet">{count(tree.leaves, "leaf", "leaves")}</span>
        </h1>
        {busy && <Waiting text="Working …" />}
      </div>
      <div class="panel tools">
        <Select label="Method" value={settings.method ?? "tree"} options={METHODS} onChange={(method) => work.settings({ method })} />
        <Number_ label="Maximum depth" value={settings.max_depth} low={1} onChange={(max_depth) => work.settings({ ...plain(settings), max_depth })} />
        <Number_ label="Rows in a leaf, at least" value={settings.min_samples_leaf} low={1} onChange={(min_samples_leaf) => work.settings({ ...plain(settings), min_samples_leaf })} />
        <div class="buttons">
          <a class="button" href={`/api/trees/${tree.tree.id}/drawing`}>
            Save the drawing
          </a>
          <button
            onClick={() =>
              run(async () => {
                const kept = await post(`trees/${tree.tree.id}/save`, { name: `${tree.target} tree` });
                say("Kept as a model.");
                go("predict", kept.id, table);
              })
            }
          >
            Predict with it
          </button>
        </div>
      </div>
      <Edits work={work} onChange={(action) => change("edit", { action })} />
      <div class="bench">
        <Canvas svg={shown ?? tree.svg} chosen={tab === "node" && !shown ? node : null} onPick={(picked) => {
          setShown(null);
          setNode(picked);
          setTab("node");
        }} isOther={shown !== null} onBack={() => setShown(null)} />
        <aside class="panel" aria-label="About the tree">
          <div class="tabs" role="tablist" aria-label="About the tree">
            {TABS.map(([name, words]) => (
              <button
                key={name}
                role="tab"
                id={`tab-${name}`}
                aria-selected={tab === name}
                aria-controls="tab-panel"
                onClick={() => {
                  setShown(null);
                  setTab(name);
                }}
              >
                {words}
              </button>
            ))}
          </div>
          <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
            {tab === "node" && <NodePanel work={work} node={node ?? 0} onNode={setNode} />}
            {tab === "size" && <SizePanel work={work} />}
            {tab === "rules" && <RulesPanel work={work} />}
            {tab === "path" && <PathPanel work={work} />}
            {tab === "ask" && <AskPanel work={work} />}
            {tab === "stability" && <StabilityPanel work={work} />}
          </div>
        </aside>
      </div>
      {tree.set_aside.length > 0 && <p class="quiet">Set aside, because they only name rows: {tree.set_aside.join(", ")}.</p>}
    </div>
  );
}

function NoTree({ table }: { table: string }) {
  return (
    <div class="page">
      <h1>Tree workshop</h1>
      <p>
        There is no tree yet. Choose the column to predict on the <a href={`#/table?table=${table}`}>Table</a> screen.
      </p>
    </div>
  );
}

/** The settings without those of a size that was chosen by a slider. */
function plain(settings: any) {
  const { ccp_alpha: _1, max_leaf_nodes: _2, prune: _3, ...kept } = settings;
  return kept;
}

function Number_({ label, value, low, onChange }: { label: string; value?: number; low: number; onChange: (value: number | null) => void }) {
  return (
    <Field label={label}>
      <input
        type="number"
        min={low}
        placeholder="free"
        value={value ?? ""}
        onChange={(event) => {
          const text = event.currentTarget.value;
          onChange(text === "" ? null : Math.max(low, Math.round(Number(text))));
        }}
      />
    </Field>
  );
}

function Edits({ work, onChange }: { work: Work; onChange: (action: string) => void }) {
  const { edits, can_redo, total } = work.tree.tree;
  if (!edits.length && !can_redo) {
    return <p class="quiet">Click a node to see why it is there, and to change it. Each change shows what it costs on rows that the tree has not seen.</p>;
  }
  return (
    <section class="panel edits" aria-label="Edits and their prices">
      <div class="buttons">
        <strong>{count(edits.length, "edit")}</strong>
        <button disabled={work.busy || !edits.length} onClick={() => onChange("undo")}>
          Undo
        </button>
        <button disabled={work.busy || !can_redo} onClick={() => onChange("redo")}>
          Redo
        </button>
        <button disabled={work.busy || !edits.length} onClick={() => onChange("reset")}>
          Take all back
        </button>
      </div>
      <ol>
        {edits.map((one: any, at: number) => (
          <li key={at}>
            {one.words}: <Price price={one.price} />
          </li>
        ))}
      </ol>
      {total && (
        <p>
          All together: <Price price={total} />
        </p>
      )}
      <p class="quiet">
        The price is the change of the {edits[0]?.price.measure ?? "error"} on held-out rows, with its 95 % interval. A tree that was
        changed after looking at the data fits these data better than new ones.
      </p>
    </section>
  );
}

function Price({ price }: { price: any }) {
  const mood = price.is_tied ? "" : price.change > 0 ? "costs" : "gains";
  return <span class={`price ${mood}`}>{price.verdict}</span>;
}

/** The drawing, which can be enlarged and moved with the pointer or the keys. */
function Canvas({ svg, chosen, onPick, isOther, onBack }: { svg: string; chosen: number | null; onPick: (node: number) => void; isOther: boolean; onBack: () => void }) {
  const [zoom, setZoom] = useState(1);
  const place = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; y: number; left: number; top: number } | null>(null);
  return (
    <div class="canvas-frame">
      <div class="buttons canvas-tools">
        <button aria-label="Smaller" onClick={() => setZoom(Math.max(0.4, zoom / 1.25))}>
          −
        </button>
        <button aria-label="Larger" onClick={() => setZoom(Math.min(3, zoom * 1.25))}>
          +
        </button>
        <button onClick={() => setZoom(1)}>100 %</button>
        {isOther && <button onClick={onBack}>Back to the tree</button>}
      </div>
      <div
        class="canvas"
        ref={place}
        tabIndex={0}
        role="region"
        aria-label="Drawing of the tree; it can be scrolled"
        onPointerDown={(event) => {
          const at = place.current;
          if (at) drag.current = { x: event.clientX, y: event.clientY, left: at.scrollLeft, top: at.scrollTop };
        }}
        onPointerMove={(event) => {
          const at = place.current;
          if (!at || !drag.current || event.buttons !== 1) return;
          at.scrollLeft = drag.current.left - (event.clientX - drag.current.x);
          at.scrollTop = drag.current.top - (event.clientY - drag.current.y);
        }}
        onPointerUp={() => {
          drag.current = null;
        }}
      >
        <Drawing svg={svg} zoom={zoom} chosen={chosen} onPick={onPick} />
      </div>
    </div>
  );
}
