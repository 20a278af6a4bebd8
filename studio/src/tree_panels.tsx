// What stands beside the tree: a node, the size, rules, a path, the dialogue, the stability.

import { useEffect, useState } from "preact/hooks";
import { get, post } from "./api";
import { count, Drawing, Field, percent, Select, short, Slider, useTask, Waiting } from "./parts";
import type { Work } from "./tree";

/** Load something of the tree anew whenever the tree changes. */
function useOfTree(work: Work, path: string): any {
  const [found, setFound] = useState<any>(null);
  const [, run] = useTask();
  const { id, revision } = work.tree.tree;
  useEffect(() => {
    let isOver = false;
    void run(async () => {
      const data = await get(`trees/${id}/${path}`);
      if (!isOver) setFound(data);
    });
    return () => {
      isOver = true;
    };
  }, [id, revision, path]);
  return found;
}

// -- a node --------------------------------------------------------------------------------------

export function NodePanel({ work, node, onNode }: { work: Work; node: number; onNode: (node: number) => void }) {
  const found = useOfTree(work, `node/${node}`);
  const about = work.tree.nodes.find((one: any) => one.node === node);
  return (
    <>
      <Select
        label="Node"
        value={String(node)}
        options={work.tree.nodes.map((one: any): [string, string] => [
          String(one.node),
          `${"· ".repeat(one.depth)}${one.node}: ${one.condition ?? "all rows"} → ${one.question ? `${one.question}?` : short_(one.prediction)}`,
        ])}
        onChange={(value) => onNode(Number(value))}
      />
      {!found || found.node !== node ? (
        <Waiting text="Looking at the node …" />
      ) : (
        <>
          <p>
            {count(found.n_rows, "training row")} here. {sentence(found.verdict)}
          </p>
          <Actions key={node} work={work} found={found} about={about} />
          <Reasons work={work} found={found} />
          <NodeRows found={found} />
        </>
      )}
    </>
  );
}

const short_ = (value: any) => (typeof value === "number" ? short(value) : String(value));
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function Actions({ work, found, about }: { work: Work; found: any; about: any }) {
  const [label, setLabel] = useState("");
  const [column, setColumn] = useState(about?.column ?? work.tree.inputs[0]);
  const { node } = found;
  const classes: string[] | null = work.tree.classes?.map(String) ?? null;
  const prediction = () => {
    if (!work.tree.classes) return Number(label);
    return work.tree.classes.find((one: any) => String(one) === (label || classes?.[0]));
  };
  return (
    <div class="actions">
      <div class="buttons">
        {!found.is_leaf && (
          <button disabled={work.busy} onClick={() => work.edit({ edit: "prune", node })}>
            Prune: make it a leaf
          </button>
        )}
        <button disabled={work.busy} onClick={() => work.edit({ edit: "graft", node })}>
          Grow a new subtree
        </button>
        {!found.is_leaf && about?.column && (
          <button disabled={work.busy} onClick={() => work.edit({ edit: "forbid", node, column: about.column })}>
            Never ask {about.column} here
          </button>
        )}
      </div>
      {found.is_leaf ? (
        <div class="inline">
          {classes ? (
            <Select label="Let it predict" value={label || classes[0]} options={classes} onChange={setLabel} />
          ) : (
            <Field label="Let it predict">
              <input type="number" step="any" value={label} onInput={(event) => setLabel(event.currentTarget.value)} />
            </Field>
          )}
          <button disabled={work.busy || (!classes && label === "")} onClick={() => work.edit({ edit: "relabel", node, prediction: prediction() })}>
            Relabel
          </button>
        </div>
      ) : (
        <OwnTest work={work} node={node} column={column} onColumn={setColumn} />
      )}
    </div>
  );
}

/** Another question: a column, and its threshold or its categories. */
function OwnTest({ work, node, column, onColumn }: { work: Work; node: number; column: string; onColumn: (column: string) => void }) {
  const found = useOfTree(work, `node/${node}?column=${encodeURIComponent(column)}`);
  const [threshold, setThreshold] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const isNumber = found?.kind === "numeric";
  const ready = found && (isNumber ? threshold !== "" && Number.isFinite(Number(threshold)) : chosen.length > 0);
  const edit: any = { edit: "replace", node, column };
  if (isNumber) edit.threshold = Number(threshold);
  else edit.categories = chosen;
  return (
    <details>
      <summary>Ask another question here</summary>
      <Select
        label="Column"
        value={column}
        options={work.tree.inputs}
        onChange={(value) => {
          setThreshold("");
          setChosen([]);
          onColumn(value);
        }}
      />
      {isNumber && (
        <Field label="Threshold: values up to it take the first branch">
          <input type="number" step="any" value={threshold} onInput={(event) => setThreshold(event.currentTarget.value)} />
        </Field>
      )}
      {found && !isNumber && (
        <fieldset>
          <legend>Categories of the first branch</legend>
          <div class="checks">
            {(found.categories ?? []).map((name: any) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={chosen.includes(String(name))}
                  onChange={() => setChosen(chosen.includes(String(name)) ? chosen.filter((one) => one !== String(name)) : [...chosen, String(name)])}
                />
                {String(name)}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {found?.reasons.length > 0 && (
        <p class="quiet">
          Best for this column: <strong>{found.reasons[0].test}</strong> (gain {short(found.reasons[0].gain)})
        </p>
      )}
      <div class="buttons">
        <button disabled={work.busy || !ready} onClick={() => work.edit(edit)}>
          Use this question
        </button>
      </div>
    </details>
  );
}

function Reasons({ work, found }: { work: Work; found: any }) {
  if (!found.reasons.length) return <p class="quiet">There is no test that divides these rows.</p>;
  const most = Math.max(...found.reasons.map((one: any) => one.gain), 1e-12);
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Tests that were considered">
      <table>
        <caption>Tests that were considered, best first</caption>
        <thead>
          <tr>
            <th scope="col">test</th>
            <th scope="col">gain</th>
            <th scope="col" class="quiet">
              use
            </th>
          </tr>
        </thead>
        <tbody>
          {found.reasons.map((one: any) => (
            <tr key={one.column + one.test} class={one.chosen ? "is-chosen" : ""}>
              <td>{one.test}</td>
              <td>
                <meter min={0} max={most} value={Math.max(0, one.gain)} aria-label={`gain ${short(one.gain)}`} /> {short(one.gain)}
              </td>
              <td>
                {one.chosen ? (
                  <span class="badge">used</span>
                ) : (
                  !found.is_leaf && (
                    <button
                      disabled={work.busy}
                      aria-label={`Test ${one.column} here`}
                      onClick={() => work.edit({ edit: "require", node: found.node, column: one.column })}
                    >
                      Use
                    </button>
                  )
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NodeRows({ found }: { found: any }) {
  return (
    <details>
      <summary>Some of its rows</summary>
      <div class="wide" tabIndex={0} role="region" aria-label="Rows of the node">
        <table>
          <thead>
            <tr>
              <th scope="col">row</th>
              {found.columns.map((name: string) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.rows.map((row: any[], at: number) => (
              <tr key={at}>
                <th scope="row">{found.row_numbers[at]}</th>
                {row.map((cell, place) => (
                  <td key={place}>{cell ?? "missing"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

// -- the size ------------------------------------------------------------------------------------

export function SizePanel({ work }: { work: Work }) {
  const pruned = useOfTree(work, "sequence");
  const grown = useOfTree(work, "growth");
  const { settings } = work.tree.tree;
  const own = work.tree.tree.edits.length > 0;
  return (
    <>
      {own && <p class="warn">Another size gives the edits up.</p>}
      <h2>Pruned</h2>
      {pruned ? <Pruned key={`p${work.tree.tree.revision}`} work={work} found={pruned} /> : <Waiting text="Pruning …" />}
      <h2>Grown step by step</h2>
      {grown ? <Grown key={`g${work.tree.tree.revision}`} work={work} found={grown} /> : <Waiting text="Growing …" />}
      {(settings.ccp_alpha !== undefined || settings.max_leaf_nodes !== undefined) && (
        <button onClick={() => work.settings({ method: settings.method ?? "tree" })}>Back to the size that the tree chose</button>
      )}
    </>
  );
}

function Pruned({ work, found }: { work: Work; found: any }) {
  const n = found.n_leaves.length;
  const now = work.tree.tree.settings.ccp_alpha;
  const nearest = found.n_leaves.reduce(
    (best: number, leaves: number, at: number) =>
      Math.abs(leaves - work.tree.leaves) < Math.abs(found.n_leaves[best] - work.tree.leaves) ? at : best,
    0,
  );
  const [at, setAt] = useState(now === undefined ? nearest : Math.max(0, found.price.indexOf(now)));
  const words = (losses: number[]) => (found.measure === "error" ? `${(100 * losses[at]).toFixed(1)} %` : short(losses[at]));
  return (
    <>
      <Slider label="From the full tree to the root alone" value={at} low={0} high={n - 1} isWhole words={count(found.n_leaves[at], "leaf", "leaves")} onChange={setAt} />
      <p>
        {sentence(found.measure)} Growing rows: <strong>{words(found.growing)}</strong>; held-out rows: <strong>{words(found.validation)}</strong>
        {at === found.best && ", the least"}.
      </p>
      <p class="buttons">
        <button disabled={work.busy} onClick={() => work.settings({ ...kept(work), ccp_alpha: found.price[at] })}>
          Prune the tree so far
        </button>
        <button disabled={work.busy} onClick={() => setAt(found.best)}>
          Go to the least error
        </button>
      </p>
      <Drawing svg={found.svg} />
    </>
  );
}

function Grown({ work, found }: { work: Work; found: any }) {
  const last = found.n_leaves.length - 1;
  const start = work.tree.tree.settings.max_leaf_nodes;
  const [at, setAt] = useState(start === undefined ? Math.min(found.best, last) : Math.min(start - 1, last));
  return (
    <>
      <Slider label="Splits" value={at} low={0} high={last} isWhole onChange={setAt} />
      <p>
        {at > 0 ? (
          <>
            Split {at}: <strong>{found.question[at]}</strong>.{" "}
          </>
        ) : (
          "The root alone. "
        )}
        Growing rows {short(found.growing[at])}, held-out rows {short(found.held_out[at])}
        {at === found.best && " (the least)"}.
      </p>
      <p class="buttons">
        <button disabled={work.busy || at < 1} onClick={() => work.settings({ ...kept(work), max_leaf_nodes: found.n_leaves[at], prune: "none" })}>
          Show the tree after this split
        </button>
        <button disabled={work.busy || at >= last} onClick={() => setAt(at + 1)}>
          Next split
        </button>
      </p>
      <Drawing svg={found.svg} />
    </>
  );
}

function kept(work: Work) {
  const { method = "tree", min_samples_leaf } = work.tree.tree.settings;
  return min_samples_leaf ? { method, min_samples_leaf } : { method };
}

// -- rules, paths, the dialogue, stability -------------------------------------------------------

export function RulesPanel({ work }: { work: Work }) {
  return (
    <>
      <ol class="rules">
        {work.tree.rules.map((rule: string) => (
          <li key={rule}>{rule}</li>
        ))}
      </ol>
      <details>
        <summary>The tree as text</summary>
        <pre tabIndex={0}>{work.tree.text}</pre>
      </details>
    </>
  );
}

export function PathPanel({ work }: { work: Work }) {
  const [row, setRow] = useState(0);
  const [found, setFound] = useState<any>(null);
  const [busy, run] = useTask();
  const follow = (wanted: number) =>
    run(async () => {
      const data = await get(`trees/${work.tree.tree.id}/path/${wanted}`);
      setRow(wanted);
      setFound(data);
      work.show(data.svg);
    });
  return (
    <>
      <div class="inline">
        <Field label="Row, counted from 0">
          <input type="number" min={0} value={row} onInput={(event) => setRow(Math.max(0, Math.round(Number(event.currentTarget.value))))} />
        </Field>
        <button disabled={busy} onClick={() => follow(row)}>
          Follow it
        </button>
        <button disabled={busy || !found || row + 1 >= found.of} onClick={() => follow(row + 1)}>
          Next row
        </button>
      </div>
      {found && (
        <>
          <pre tabIndex={0}>{found.text}</pre>
          <p>
            In the table: <strong>{found.truth}</strong>
          </p>
        </>
      )}
    </>
  );
}

export function AskPanel({ work }: { work: Work }) {
  const [answers, setAnswers] = useState<any[]>([]);
  const [found, setFound] = useState<any>(null);
  const [number, setNumber] = useState("");
  const [, run] = useTask();
  const { id, revision } = work.tree.tree;
  useEffect(() => setAnswers([]), [id, revision]);
  useEffect(() => {
    void run(async () => setFound(await post(`trees/${id}/ask`, { answers })));
  }, [id, revision, answers]);
  if (!found) return <Waiting text="The tree thinks of its first question …" />;
  const say = (answer: any) => {
    setNumber("");
    setAnswers([...answers, answer]);
  };
  return (
    <>
      <p class="quiet">The tree asks {short(found.mean)} questions on average.</p>
      {found.asked.length > 0 && (
        <ol>
          {found.asked.map((one: any, at: number) => (
            <li key={at}>
              {one.question}? <strong>{String(one.answer)}</strong>
            </li>
          ))}
        </ol>
      )}
      {found.question ? (
        <div class="question">
          <p class="lead">{found.question.text}?</p>
          <div class="buttons">
            {found.question.choices.map((choice: string) => (
              <button key={choice} onClick={() => say(choice)}>
                {choice}
              </button>
            ))}
            <button onClick={() => say(null)}>I don't know</button>
          </div>
          {found.question.is_number && (
            <form
              class="inline"
              onSubmit={(event) => {
                event.preventDefault();
                if (number !== "") say(Number(number));
              }}
            >
              <Field label={`Or the value of ${found.question.column}`}>
                <input type="number" step="any" value={number} onInput={(event) => setNumber(event.currentTarget.value)} />
              </Field>
              <button disabled={number === ""}>Answer</button>
            </form>
          )}
        </div>
      ) : (
        <p class="lead">→ {String(found.outcome.prediction)}</p>
      )}
      <p>{found.question ? `So far: ${found.words}` : found.words}</p>
      <div class="buttons">
        <button disabled={!answers.length} onClick={() => setAnswers(answers.slice(0, -1))}>
          One back
        </button>
        <button disabled={!answers.length} onClick={() => setAnswers([])}>
          Begin again
        </button>
      </div>
    </>
  );
}

export function StabilityPanel({ work }: { work: Work }) {
  const found = useOfTree(work, "stability");
  useEffect(() => {
    if (found) work.show(found.svg);
  }, [found]);
  if (!found) return <Waiting text="Growing 100 trees on random halves of the rows …" />;
  return (
    <>
      <p>{found.summary}</p>
      <table>
        <caption>How often {found.n_trees} other trees agree</caption>
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">column</th>
            <th scope="col">same column</th>
            <th scope="col">same question</th>
          </tr>
        </thead>
        <tbody>
          {found.nodes.map((one: any) => (
            <tr key={one.node}>
              <th scope="row">{one.node}</th>
              <td>{one.column}</td>
              <td>{percent(one.n_same_column / one.n_trees)}</td>
              <td>{percent(one.n_same_question / one.n_trees)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
