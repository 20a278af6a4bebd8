// Learners compared: what is asked, what is known so far, what follows.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, post, remove } from "./api";
import { go } from "./app";
import { count, Drawing, Field, Notice, Select, short, useShell, useTask, Waiting } from "./parts";

interface Options {
  learners: string | string[];
  metric: string;
  n_folds: number;
  n_repeats: number;
  tuning: string;
  prefer: string;
  time_budget: string;
}

const START: Options = {
  learners: "fast",
  metric: "",
  n_folds: 10,
  n_repeats: 1,
  tuning: "",
  prefer: "balance",
  time_budget: "",
};
const STATES: Record<string, string> = {
  waiting: "waiting for its turn",
  running: "running",
  finished: "finished",
  stopped: "stopped",
  failed: "failed",
};

/** What the server takes: only what differs from the defaults. */
function told(options: Options, table: any) {
  const given: any = { learners: options.learners };
  if (options.metric) given.metric = options.metric;
  if (options.n_folds !== 10) given.n_folds = options.n_folds;
  if (options.n_repeats > 1) given.n_repeats = options.n_repeats;
  if (options.tuning) given.tuning = options.tuning;
  if (options.prefer !== "balance") given.prefer = options.prefer;
  if (Number(options.time_budget) > 0) given.time_budget = Number(options.time_budget);
  if (table.group) given.group = table.group;
  if (table.time_column) given.time_column = table.time_column;
  return given;
}

export function CompareScreen({ table, run }: { table: string; run: string | null }) {
  const [source, setSource] = useState<any>(null);
  const [runs, setRuns] = useState<any[]>([]);
  const [, start] = useTask();
  const refresh = async () => setRuns((await get("runs")).filter((one: any) => one.table === table));
  useEffect(() => {
    void start(async () => {
      setSource(await get(`tables/${table}`));
      await refresh();
    });
  }, [table]);
  if (!source) return <Waiting text="Reading the table …" />;
  if (!source.table.target) {
    return (
      <div class="page">
        <h1>Compare learners</h1>
        <p>
          Choose the column to predict first, on the <a href={`#/table?table=${table}`}>Table</a> screen.
        </p>
      </div>
    );
  }
  return (
    <div class="page">
      <h1>Compare learners</h1>
      <p class="quiet">
        Who predicts <strong>{source.table.target}</strong> of {source.table.name} best, how sure that is, and what to take.
      </p>
      {run ? (
        <OneRun id={run} table={table} onChange={refresh} />
      ) : (
        <Form source={source} onBegun={(id) => go("compare", id, table)} />
      )}
      {runs.length > 0 && (
        <section>
          <h2>Comparisons of this table</h2>
          <ul class="list">
            {runs.map((one) => (
              <li key={one.id}>
                <button class="row" aria-current={one.id === run ? "true" : undefined} onClick={() => go("compare", one.id, table)}>
                  <strong>{wordsOf(one.options)}</strong>
                  <span class="quiet">{STATES[one.state]}</span>
                </button>
                <button
                  class="plain"
                  aria-label="Remove this comparison"
                  onClick={() =>
                    start(async () => {
                      await remove(`runs/${one.id}`);
                      if (one.id === run) go("compare", null, table);
                      else await refresh();
                    })
                  }
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function wordsOf(options: any): string {
  const learners = options.learners ?? "fast";
  const who = learners === "fast" ? "one of each family" : learners === "all" ? "all learners" : learners.join(", ");
  const more = [options.metric, options.tuning && `tuned (${options.tuning})`, options.n_folds && `${options.n_folds} folds`];
  return [who, ...more.filter(Boolean)].join(" · ");
}

// -- what is asked -------------------------------------------------------------------------------

function Form({ source, onBegun }: { source: any; onBegun: (id: string) => void }) {
  const [options, setOptions] = useState<Options>(START);
  const [known, setKnown] = useState<any>({ learners: [], metrics: [] });
  const [busy, run] = useTask();
  const { setScript } = useShell();
  const set = (changes: Partial<Options>) => setOptions({ ...options, ...changes });
  const given = told(options, source.table);
  const text = JSON.stringify(given);

  useEffect(() => {
    void run(async () => setKnown(await get(`learners?task=${source.task}`)));
  }, [source.task]);
  useEffect(() => {
    const timer = setTimeout(
      () => post("runs/script", { table: source.table.id, options: given }).then(setScript, () => {}),
      150,
    );
    return () => clearTimeout(timer);
  }, [text]);

  const chosen = Array.isArray(options.learners) ? options.learners : [];
  const toggle = (name: string) =>
    set({ learners: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name] });
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => onBegun((await post("runs", { table: source.table.id, options: given })).id));
      }}
    >
      <fieldset>
        <legend>Learners</legend>
        <div class="choices">
          {[
            ["fast", "One of each family (fast)"],
            ["all", "All learners"],
            ["choose", "Choose"],
          ].map(([name, words]) => (
            <label key={name}>
              <input
                type="radio"
                name="learners"
                checked={name === "choose" ? Array.isArray(options.learners) : options.learners === name}
                onChange={() => set({ learners: name === "choose" ? ["tree", source.task === "regression" ? "linear_regression" : "logistic"] : name })}
              />
              {words}
            </label>
          ))}
        </div>
        {Array.isArray(options.learners) && (
          <div class="checks">
            {known.learners.map((one: any) => (
              <label key={one.name}>
                <input type="checkbox" checked={chosen.includes(one.name)} onChange={() => toggle(one.name)} />
                <span>
                  {one.title} <small>{one.family}</small>
                </span>
              </label>
            ))}
          </div>
        )}
      </fieldset>
      <div class="grid">
        <Select label="What decides (metric)" value={options.metric} options={[["", `default (${source.task === "regression" ? "rmse" : "accuracy"})`], ...known.metrics]} onChange={(metric) => set({ metric })} />
        <Field label="Folds">
          <input type="number" min={2} max={50} value={options.n_folds} onInput={(event) => set({ n_folds: Math.max(2, Number(event.currentTarget.value) || 10) })} />
        </Field>
        <Field label="Repeats">
          <input type="number" min={1} max={50} value={options.n_repeats} onInput={(event) => set({ n_repeats: Math.max(1, Number(event.currentTarget.value) || 1) })} />
        </Field>
        <Select
          label="Tuning"
          value={options.tuning}
          options={[["", "as they are"], "small", "medium", "large"]}
          onChange={(tuning) => set({ tuning })}
        />
        <Select
          label="Recommend"
          value={options.prefer}
          options={[
            ["balance", "simple and good"],
            ["accuracy", "the best score"],
            ["simplicity", "the simplest"],
          ]}
          onChange={(prefer) => set({ prefer })}
        />
        <Field label="Time limit in seconds">
          <input type="number" min={1} placeholder="none" value={options.time_budget} onInput={(event) => set({ time_budget: event.currentTarget.value })} />
        </Field>
      </div>
      {(source.table.group || source.table.time_column) && (
        <p class="quiet">
          {source.table.group && `Rows with the same ${source.table.group} stay in one fold. `}
          {source.table.time_column && `The past predicts the future, by ${source.table.time_column}.`}
        </p>
      )}
      <button class="primary" disabled={busy || (Array.isArray(options.learners) && chosen.length === 0)}>
        Compare
      </button>
    </form>
  );
}

// -- what is known -------------------------------------------------------------------------------

function OneRun({ id, table, onChange }: { id: string; table: string; onChange: () => void }) {
  const [run, setRun] = useState<any>(null);
  const [step, setStep] = useState("");
  const [stopping, setStopping] = useState(false);
  const [again, setAgain] = useState(0);
  const { fail, setScript } = useShell();
  const stream = useRef<EventSource | null>(null);

  useEffect(() => {
    let isOver = false;
    const take = (changes: any) => !isOver && setRun((old: any) => ({ ...old, ...changes }));
    const follow = () => {
      stream.current?.close();
      const events = new EventSource(`/api/runs/${id}/events`);
      stream.current = events;
      events.onmessage = (message) => {
        const told = JSON.parse(message.data);
        if (told.event === "state" || told.event === "end") take(told.run);
        if (told.event === "progress") take({ progress: told });
        if (told.event === "partial") take({ partial: told });
        if (told.event === "plan") take({ plan: told });
        if (told.event === "step") setStep(told.text);
        if (told.event === "end") {
          events.close();
          onChange();
        }
      };
    };
    get(`runs/${id}`).then((found) => {
      take(found);
      if (found.state === "running" || found.state === "waiting") follow();
    }, fail);
    // A hidden tab gives its connection back: browsers allow few of them for all tabs together.
    const seen = () => {
      if (document.hidden) stream.current?.close();
      else if (stream.current) follow();
    };
    document.addEventListener("visibilitychange", seen);
    return () => {
      isOver = true;
      stream.current?.close();
      document.removeEventListener("visibilitychange", seen);
    };
  }, [id, again]);
  useEffect(() => {
    if (run?.plan?.script) setScript(run.plan.script);
  }, [run?.plan?.script?.command]);

  if (!run) return <Waiting text="Loading …" />;
  const isActive = run.state === "running" || run.state === "waiting";
  const result = run.result;
  const stop = () => {
    setStopping(true);
    post(`runs/${id}/stop`).catch(fail);
  };
  const resume = () =>
    post(`runs/${id}/resume`).then(() => {
      setStopping(false);
      setStep("");
      setAgain(again + 1);
    }, fail);
  return (
    <section aria-label="Comparison">
      {run.plan && <p>{run.plan.text}</p>}
      {isActive && <Progress run={run} step={step} stopping={stopping} onStop={stop} />}
      {run.state === "failed" && run.error && <Notice trouble={run.error} />}
      {!isActive && result?.advice?.length > 0 && <Advice run={run} result={result} id={id} table={table} />}
      {(run.state === "stopped" || (run.state === "failed" && run.progress)) && (
        <p class="buttons">
          <span>{result?.standings?.length ? "Stopped: this is what is known of the folds that were done." : "Stopped before there was a result."}</span>
          <button onClick={resume}>Continue</button>
        </p>
      )}
      {isActive && run.partial && (
        <>
          <p class="quiet">Scores so far. They move until all folds are done; the recommendation comes at the end.</p>
          <Drawing svg={run.partial.svg} label="Scores so far" />
        </>
      )}
      {!isActive && result?.svg && <Drawing svg={result.svg} />}
      {!isActive && result && <Standings result={result} />}
      <p>
        <button onClick={() => go("compare", null, table)}>Another comparison</button>
      </p>
    </section>
  );
}

function Progress({ run, step, stopping, onStop }: { run: any; step: string; stopping: boolean; onStop: () => void }) {
  const { done = 0, total = 0, learner = "" } = run.progress ?? {};
  const words = stopping
    ? "Stopping; what is done is kept …"
    : run.state === "waiting"
      ? "Waiting for another comparison …"
      : step || (total ? `${done} of ${count(total, "fit")}, last: ${learner}` : "Starting …");
  return (
    <div class="panel">
      <progress max={total || 1} value={done} aria-label="Progress of the comparison" />
      <p class="buttons">
        <span role="status">{words}</span>
        <button onClick={onStop} disabled={stopping}>
          Stop
        </button>
      </p>
    </div>
  );
}

function Advice({ run, result, id, table }: { run: any; result: any; id: string; table: string }) {
  const { say } = useShell();
  const [, task] = useTask();
  const mend = (changes: any) =>
    task(async () => {
      const { table: now } = await get(`tables/${table}`);
      await post(`tables/${table}/change`, { revision: now.revision, changes, replace: false });
      say("Changed. Compare again to see what it does.");
    });
  return (
    <div class="panel advice">
      {result.advice.map((text: string, at: number) => (
        <p key={text} class={at === 0 ? "lead" : ""}>
          {text.replaceAll(/(\d) %/g, "$1\u00a0%")}
        </p>
      ))}
      <p class="buttons">
        {result.report && (
          <>
            <a class="button primary" href={`/api/runs/${id}/report`} target="_blank" rel="noopener">
              Open the report
            </a>
            <a class="button" href={`/api/runs/${id}/report?download=true`}>
              Download it
            </a>
          </>
        )}
        {result.model && (
          <button onClick={() => go("predict", result.model, table)}>Predict with {result.recommended}</button>
        )}
        {!run.result.is_complete && <span class="quiet">Not all folds were carried out.</span>}
      </p>
      {result.warnings.length > 0 && (
        <ul class="warnings">
          {result.warnings.map((one: any) => (
            <li key={one.message}>
              {one.message} {one.repair?.flag && <code>{one.repair.flag}</code>}{" "}
              {one.repairs?.map((repair: any) => (
                <button key={JSON.stringify(repair)} onClick={() => mend(repair.change)}>
                  {repair.change.drop ? `Leave ${repair.change.drop[0]} out` : repair.label}
                </button>
              ))}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Standings({ result }: { result: any }) {
  return (
    <>
      {result.standings.length > 0 && (
        <div class="wide" tabIndex={0} role="region" aria-label="Standings">
          <table>
            <thead>
              <tr>
                <th scope="col">learner</th>
                <th scope="col">{result.metric}</th>
                <th scope="col">95 % interval</th>
                <th scope="col">group</th>
                <th scope="col">size</th>
                <th scope="col">a fit takes</th>
              </tr>
            </thead>
            <tbody>
              {result.standings.map((one: any) => (
                <tr key={one.learner} class={one.is_recommended ? "is-chosen" : ""}>
                  <th scope="row">
                    {one.learner} {one.is_recommended && <span class="badge">recommended</span>}
                  </th>
                  <td>{short(one.score)}</td>
                  <td>
                    {short(one.low)} to {short(one.high)}
                  </td>
                  <td>{one.group}</td>
                  <td>{one.size ? count(one.size, one.unit, one.unit) : "–"}</td>
                  <td>{Number(one.fit_seconds.toPrecision(2))} s</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {Object.entries(result.failures ?? {}).map(([name, why]) => (
        <p key={name}>
          <strong>{name}</strong> failed: {String(why)}
        </p>
      ))}
      {[...(result.about ?? []), ...(result.more ?? [])].map((text: string) => text.replace(/ Learners between dotted lines.*$/, "")).map((text) => (
        <p key={text} class="quiet">
          {text}
        </p>
      ))}
      {result.set_aside?.length > 0 && <p class="quiet">Set aside, because they only name rows: {result.set_aside.join("; ")}.</p>}
    </>
  );
}
