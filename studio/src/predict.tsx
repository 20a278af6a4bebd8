// Prediction: a form of the model's columns, the reasons beside it, what-if; a file in, a file out.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, post, putFile, remove } from "./api";
import { go } from "./app";
import { count, Drawing, Field, percent, Select, short, Slider, useShell, useTask, Waiting } from "./parts";

export function PredictScreen({ id, table }: { id: string | null; table: string | null }) {
  const [models, setModels] = useState<any[] | null>(null);
  const [busy, run] = useTask();
  const refresh = async () => {
    const found = await get("models");
    setModels(found);
    if (!id && found.length) go("predict", found[0].id, table);
  };
  useEffect(() => void run(refresh), [id]);
  const upload = (file: File | undefined) =>
    file &&
    run(async () => {
      const kept = await putFile("models/upload", file);
      go("predict", kept.id, table);
    });
  return (
    <div class="page">
      <h1>Predict</h1>
      <div class="panel tools">
        {models && models.length > 0 && (
          <Select label="Model" value={id ?? ""} options={models.map((one): [string, string] => [one.id, `${one.name} (${one.size})`])} onChange={(name) => go("predict", name, table)} />
        )}
        <div class="buttons">
          <label class="button">
            Load a saved model
            <input
              type="file"
              accept=".branchline"
              class="hidden-input"
              onChange={(event) => {
                void upload(event.currentTarget.files?.[0]);
                event.currentTarget.value = "";
              }}
            />
          </label>
          {id && (
            <>
              <a class="button" href={`/api/models/${id}/file`}>
                Save this model
              </a>
              <button
                onClick={() =>
                  run(async () => {
                    await remove(`models/${id}`);
                    go("predict", null, table);
                    await refresh();
                  })
                }
              >
                Remove it
              </button>
            </>
          )}
        </div>
        {busy && <Waiting text="Loading …" />}
      </div>
      {models?.length === 0 && <p>There is no model yet. Compare learners, keep a tree from the workshop, or load a saved model.</p>}
      {id && <OneModel key={id} id={id} />}
    </div>
  );
}

function OneModel({ id }: { id: string }) {
  const [model, setModel] = useState<any>(null);
  const [row, setRow] = useState<Record<string, any>>({});
  const [found, setFound] = useState<any>(null);
  const [busy, run] = useTask();
  const { setScript, fail } = useShell();
  const start = (form: any[]) => Object.fromEntries(form.map((one) => [one.name, one.typical ?? null]));

  useEffect(() => {
    void run(async () => {
      const data = await get(`models/${id}`);
      setModel(data);
      setRow(start(data.form));
    });
  }, [id]);

  // One request at a time: while a slider moves, only the last row is asked for.
  const waiting = useRef(false);
  const next = useRef<any>(null);
  const ask = async (wanted: any) => {
    if (waiting.current) {
      next.current = wanted;
      return;
    }
    waiting.current = true;
    try {
      const answer = await post(`models/${id}/predict`, { row: wanted });
      setFound(answer);
      setScript(answer.script);
    } catch (error) {
      fail(error);
    } finally {
      waiting.current = false;
      const later = next.current;
      next.current = null;
      if (later) void ask(later);
    }
  };
  useEffect(() => {
    if (model) void ask(row);
  }, [model, row]);

  if (!model) return busy ? <Waiting text="Loading the model …" /> : null;
  const set = (name: string, value: any) => setRow({ ...row, [name]: value });
  return (
    <div class="bench predict">
      <form class="panel" onSubmit={(event) => event.preventDefault()} aria-label="The row">
        <p class="buttons">
          <strong>
            {model.model.class}
            {model.model.target && ` for ${model.model.target}`}
          </strong>
          <button type="button" onClick={() => setRow(start(model.form))}>
            Typical row
          </button>
        </p>
        <div class="inputs">
          {model.form.map((one: any) => (
            <Input key={one.name} field={one} value={row[one.name]} onChange={(value) => set(one.name, value)} />
          ))}
        </div>
      </form>
      <div>
        {found && <Answer found={found} />}
        <Files id={id} />
      </div>
    </div>
  );
}

function Input({ field, value, onChange }: { field: any; value: any; onChange: (value: any) => void }) {
  if (field.kind === "category") {
    const choices: [string, string][] = [["", "missing"], ...field.choices.map((name: string): [string, string] => [name, name])];
    return <Select label={field.name} value={value ?? ""} options={choices} onChange={(name) => onChange(name === "" ? null : name)} />;
  }
  if (field.is_time) {
    return (
      <Field label={field.name}>
        <input value={value ?? ""} placeholder="missing" onChange={(event) => onChange(event.currentTarget.value || null)} />
      </Field>
    );
  }
  const number = (text: string) => (text === "" || !Number.isFinite(Number(text)) ? null : Number(text));
  const hasRange = field.low !== undefined && field.high > field.low;
  return (
    <div class="number-input">
      {hasRange ? (
        <Slider
          label={field.name}
          value={value ?? field.typical}
          low={field.low}
          high={field.high}
          isWhole={field.is_whole}
          words={value === null ? "missing" : short(value)}
          onChange={onChange}
        />
      ) : (
        <span class="label">{field.name}</span>
      )}
      <input
        type="number"
        step="any"
        placeholder="missing"
        aria-label={`${field.name}, as a number`}
        value={value ?? ""}
        onInput={(event) => onChange(number(event.currentTarget.value))}
      />
    </div>
  );
}

function Answer({ found }: { found: any }) {
  const { prediction, probabilities, interval, explanation } = found;
  const sorted = probabilities && [...probabilities].sort((a: any, b: any) => b.share - a.share);
  return (
    <section class="panel" aria-label="Prediction" aria-live="polite">
      <p class="prediction">
        <span class="quiet">Prediction</span> <strong>{typeof prediction === "number" ? short(prediction) : String(prediction)}</strong>
      </p>
      {sorted && (
        <ul class="values">
          {sorted.slice(0, 10).map((one: any) => (
            <li key={one.class}>
              <span class="value">{String(one.class)}</span>
              <meter min={0} max={1} value={one.share} aria-label={`${one.class}: ${percent(one.share)}`} />
              <span class="share">{percent(one.share)}</span>
            </li>
          ))}
        </ul>
      )}
      {interval && <p>{interval}</p>}
      {explanation?.svg && (
        <>
          <h2>Why</h2>
          <Drawing svg={explanation.svg} />
          <p class="quiet">
            {explanation.is_sum
              ? `The bars lead from ${short(explanation.base)} to ${short(explanation.total)}: ${explanation.about}.`
              : `Each bar is the change when that cell alone is missing: ${explanation.about}.`}
          </p>
        </>
      )}
      {explanation?.notes?.length > 0 && (
        <details>
          <summary>More</summary>
          <pre tabIndex={0}>{explanation.notes.join("\n")}</pre>
        </details>
      )}
    </section>
  );
}

function Files({ id }: { id: string }) {
  const [found, setFound] = useState<any>(null);
  const [busy, run] = useTask();
  return (
    <section class="panel" aria-label="Predict a file">
      <h2>A whole file</h2>
      <label class="button">
        Choose a table
        <input
          type="file"
          class="hidden-input"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (file) void run(async () => setFound(await putFile(`models/${id}/file`, file)));
          }}
        />
      </label>
      {busy && <Waiting text="Predicting …" />}
      {found && (
        <>
          <p class="buttons">
            {count(found.rows, "prediction")}{" "}
            <a class="button primary" href={`/api/models/predictions/${found.file}`}>
              Download predictions.csv
            </a>
          </p>
          <div class="wide" tabIndex={0} role="region" aria-label="First predictions">
            <table>
              <thead>
                <tr>
                  {found.names.map((name: string) => (
                    <th scope="col" key={name}>
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {found.head.map((row: any[], at: number) => (
                  <tr key={at}>
                    {row.map((cell, place) => (
                      <td key={place}>{cell ?? "missing"}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}
