// The table: chosen, looked at, changed.

import { useEffect, useState } from "preact/hooks";
import { ApiError, get, post, putFile, remove } from "./api";
import { go } from "./app";
import { count, Field, percent, Select, useShell, useTask, Waiting } from "./parts";

const KINDS: [string, string][] = [
  ["number", "number"],
  ["category", "category"],
  ["date", "date"],
  ["time", "time of day"],
  ["duration", "duration"],
  ["boolean", "yes or no"],
];
const KIND_OF_SOURCE: Record<string, string> = {
  date: "date",
  datetime: "date",
  time: "time",
  duration: "duration",
  boolean: "boolean",
};

export function TableScreen({ table }: { table: string | null }) {
  return table ? <OneTable id={table} /> : <Begin />;
}

// -- choosing ------------------------------------------------------------------------------------

function Begin() {
  const [tables, setTables] = useState<any[]>([]);
  const [bundled, setBundled] = useState<any[] | null>(null);
  const [over, setOver] = useState(false);
  const [busy, run] = useTask();

  const refresh = () => run(async () => setTables(await get("tables")));
  useEffect(() => {
    void refresh();
    void run(async () => setBundled(await get("tables/bundled")));
  }, []);
  const open = (id: string) => go("table", null, id);
  const upload = (files: FileList | null | undefined) =>
    files?.length && run(async () => open((await putTable([...files])).table.id));

  return (
    <div class="page">
      <h1>Begin with a table</h1>
      <div
        class={`drop ${over ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void upload(event.dataTransfer?.files);
        }}
      >
        <p>
          <strong>Drop a file here</strong>, or
        </p>
        <label class="button primary">
          Choose a file
          <input
            type="file"
            multiple
            class="hidden-input"
            onChange={(event) => {
              void upload(event.currentTarget.files);
              event.currentTarget.value = "";
            }}
          />
        </label>
        <p class="quiet">CSV, Excel, Parquet, JSON, ARFF, SPSS, Stata, SAS and more, up to 200 MB; the .data and .names files of C4.5 together. The file stays on this machine.</p>
        {busy && <Waiting text="Reading …" />}
      </div>
      {tables.length > 0 && (
        <section>
          <h2>Your tables</h2>
          <ul class="list">
            {tables.map((one) => (
              <li key={one.id}>
                <button class="row" onClick={() => open(one.id)}>
                  <strong>{one.name}</strong>
                  <span class="quiet">
                    {count(one.rows, "row")} × {count(one.columns, "column")}
                    {one.target && `, target ${one.target}`}
                  </span>
                </button>
                <button
                  class="plain"
                  aria-label={`Remove ${one.name}`}
                  onClick={() => run(async () => void (await remove(`tables/${one.id}`), await refresh()))}
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Bundled data sets</h2>
        {!bundled && <Waiting text="Loading …" />}
        <ul class="tiles">
          {bundled?.map((one) => (
            <li key={one.name}>
              <button
                class="tile"
                onClick={() => run(async () => open((await post("tables/bundled", { name: one.name })).table.id))}
              >
                <strong>{one.title}</strong>
                <span class="quiet">
                  {one.name} · {one.rows.toLocaleString("en")} × {one.columns}
                </span>
                <span>{one.about}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** Upload a table: one file, or the rows and the names of C4.5. */
async function putTable(files: File[]): Promise<any> {
  const names = files.find((file) => file.name.toLowerCase().endsWith(".names"));
  const [first, ...others] = files.filter((file) => file !== names);
  if (others.length) throw new Error(`${files.length} files were chosen: a table is one file, or a .data file with its .names file.`);
  if (!first) throw new Error(`${names?.name} declares columns: choose the .data file with the rows together with it.`);
  const more = names ? { names: (await putFile("tables/names", names)).id } : undefined;
  return putFile("tables/upload", first, more);
}

// -- one table -----------------------------------------------------------------------------------

function OneTable({ id }: { id: string }) {
  const [data, setData] = useState<any>(null);
  const [busy, run] = useTask();
  const { fail, say, setScript } = useShell();
  const take = (found: any) => {
    setData(found);
    setScript(found.script);
  };
  useEffect(() => {
    void run(async () => take(await get(`tables/${id}`)));
  }, [id]);

  const change = (changes: any, replace = false) =>
    run(async () => {
      try {
        take(await post(`tables/${id}/change`, { revision: data.table.revision, changes, replace }));
        say("Changed.");
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) take(await get(`tables/${id}`));
        fail(error);
      }
    });

  if (!data) return busy ? <Waiting text="Reading the table …" /> : <p class="page">The table cannot be shown.</p>;
  const { table, cards } = data;
  const problems = cards.filter((card: any) => card.notes.some((note: any) => note.repairs.length));
  const none: [string, string] = ["", "none"];
  return (
    <div class="page">
      <div class="heading">
        <h1>{table.name}</h1>
        <button onClick={() => go("table", null, null)}>Another table</button>
      </div>
      <p class="quiet">
        {count(data.rows, "row")} × {count(data.columns, "column")}, {count(data.missing, "missing value")}
        {data.incomplete_rows > 0 && ` in ${count(data.incomplete_rows, "row")}`}.
      </p>
      {data.notes.map((text: string) => (
        <p key={text}>{text}</p>
      ))}
      <div class="panel target">
        <Select
          label="Column to predict (target)"
          value={table.target ?? ""}
          options={[none, ...data.names]}
          onChange={(value) => change({ target: value || null })}
        />
        <Select
          label="Keep together (group)"
          hint="Rows with the same value, such as a patient, stay in one fold."
          value={table.group ?? ""}
          options={[none, ...data.names]}
          onChange={(value) => change({ group: value || null })}
        />
        <Select
          label="Time"
          hint="The past then predicts the future."
          value={table.time_column ?? ""}
          options={[none, ...data.names]}
          onChange={(value) => change({ time_column: value || null })}
        />
        <div class="next">
          {table.target ? (
            <>
              <p>
                {data.target_words}
                <br />
                <span class="quiet">{data.task === "regression" ? "A number is predicted." : "Classes are predicted."}</span>
              </p>
              <a class="button primary" href={`#/compare?table=${id}`}>
                Compare learners
              </a>
              <a class="button" href={`#/tree?table=${id}`}>
                Grow a tree
              </a>
            </>
          ) : (
            <p class="quiet">Choose the target to compare learners or to grow a tree.</p>
          )}
        </div>
      </div>
      {problems.length > 0 && (
        <section class="panel" aria-label="Things to look at">
          <h2>{count(problems.length, "column")} to look at</h2>
          <ul class="problems">
            {problems.map((card: any) =>
              card.notes.map((note: any) => (
                <li key={card.name + note.text}>
                  <span>
                    <strong>{card.name}</strong>: {note.text}
                  </span>
                  <span class="buttons">
                    {note.repairs.map((one: any) => (
                      <button key={one.label} disabled={busy} onClick={() => change(one.change)}>
                        {one.label}
                      </button>
                    ))}
                  </span>
                </li>
              )),
            )}
          </ul>
        </section>
      )}
      {data.left_out.length > 0 && (
        <p>
          Left out:{" "}
          {data.left_out.map((one: any) => (
            <button
              key={one.name}
              class="chip"
              aria-label={`Take ${one.name} back`}
              onClick={() => change({ drop: table.drop.filter((name: string) => name !== one.name) }, true)}
            >
              {one.name} ↩
            </button>
          ))}
        </p>
      )}
      <h2>Columns</h2>
      <ul class="cards">
        {cards.map((card: any) => (
          <Card key={card.name} card={card} rows={data.rows} busy={busy} onChange={change} />
        ))}
      </ul>
      {data.more > 0 && <p class="quiet">{count(data.more, "more column")} are used, and not shown here.</p>}
      <Rows key={table.revision} id={id} />
    </div>
  );
}

interface CardProps {
  card: any;
  rows: number;
  busy: boolean;
  onChange: (changes: any) => void;
}

function Card({ card, rows, busy, onChange }: CardProps) {
  const kind = KIND_OF_SOURCE[card.written] ?? (card.kind === "numeric" ? "number" : "category");
  return (
    <li class={`card ${card.is_target ? "is-target" : ""}`}>
      <div class="card-head">
        <h3 title={card.name}>{card.name}</h3>
        {card.is_target && <span class="badge">target</span>}
      </div>
      <p class="quiet">
        {card.words}, {count(card.distinct, "value")}
        {card.missing > 0 && (
          <>
            {", "}
            <span class="warn">
              {percent(card.missing / Math.max(rows, 1))} missing ({card.missing.toLocaleString("en")})
            </span>
          </>
        )}
      </p>
      <Shape card={card} />
      <div class="card-foot">
        <Field label="Kind">
          <select
            aria-label={`Kind of ${card.name}`}
            disabled={busy}
            onChange={(event) => onChange({ kinds: { [card.name]: event.currentTarget.value } })}
          >
            {KINDS.map(([name, words]) => (
              <option key={name} value={name} selected={name === kind}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        {!card.is_target && (
          <span class="buttons">
            <button disabled={busy} aria-label={`Predict ${card.name}`} onClick={() => onChange({ target: card.name })}>
              Predict
            </button>
            <button disabled={busy} aria-label={`Leave ${card.name} out`} onClick={() => onChange({ drop: [card.name] })}>
              Leave out
            </button>
          </span>
        )}
      </div>
    </li>
  );
}

/** Bars of a column: bins of numbers from low to high, or the most frequent values. */
function Shape({ card }: { card: any }) {
  const isNumber = card.range[0] !== null && card.range[0] !== undefined;
  if (isNumber && card.shape.length > 1) {
    const most = Math.max(...card.shape, 1);
    const words = `Lowest ${card.range[0]}, median ${card.range[1]}, highest ${card.range[2]}`;
    return (
      <figure class="shape">
        <svg viewBox={`0 0 ${card.shape.length * 10} 40`} preserveAspectRatio="none" role="img" aria-label={words}>
          {card.shape.map((n: number, at: number) => (
            <rect key={at} x={at * 10 + 0.6} width={8.8} y={40 - (38 * n) / most} height={(38 * n) / most} />
          ))}
        </svg>
        <figcaption>
          <span>{card.range[0]}</span>
          <span title="median">{card.range[1]}</span>
          <span>{card.range[2]}</span>
        </figcaption>
      </figure>
    );
  }
  return (
    <ul class="values">
      {card.frequent.map((one: any) => (
        <li key={one.value}>
          <span class="value" title={one.value}>
            {one.value}
          </span>
          <meter min={0} max={1} value={one.share} aria-label={`${one.value}: ${percent(one.share)}`} />
          <span class="share">{percent(one.share)}</span>
        </li>
      ))}
    </ul>
  );
}

function Rows({ id }: { id: string }) {
  const [part, setPart] = useState<any>(null);
  const [, run] = useTask();
  const load = (start: number) => run(async () => setPart(await get(`tables/${id}/rows?start=${start}&count=25`)));
  return (
    <details class="panel" onToggle={(event) => event.currentTarget.open && !part && load(0)}>
      <summary>Rows</summary>
      {part && (
        <>
          <div class="wide" tabIndex={0} role="region" aria-label="Rows of the table">
            <table>
              <thead>
                <tr>
                  <th scope="col">row</th>
                  {part.names.map((name: string) => (
                    <th scope="col" key={name}>
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {part.rows.map((row: any[], at: number) => (
                  <tr key={at}>
                    <th scope="row">{part.start + at}</th>
                    {row.map((cell, place) => (
                      <td key={place}>{cell ?? <span class="quiet">missing</span>}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p class="buttons">
            <button disabled={part.start === 0} onClick={() => load(Math.max(0, part.start - 25))}>
              Earlier rows
            </button>
            <button disabled={part.start + 25 >= part.of} onClick={() => load(part.start + 25)}>
              Later rows
            </button>
            <span class="quiet">of {part.of.toLocaleString("en")}</span>
          </p>
        </>
      )}
    </details>
  );
}
