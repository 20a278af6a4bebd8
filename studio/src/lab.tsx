// The lab: points on a plane or on a line, a learner, its sliders; redrawn while they move.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "./api";
import { Select, short, Slider, percent, useShell, useTask, Waiting } from "./parts";
import { Plane, type Scene } from "./plane";

const SHAPES: [string, string][] = [
  ["moons", "two moons"],
  ["xor", "XOR"],
  ["circles", "circles"],
  ["checkerboard", "checkerboard"],
  ["overlap", "two clouds that overlap"],
  ["three", "three classes"],
];
const CURVES: [string, string][] = [
  ["sine", "sine"],
  ["steps", "steps"],
  ["line", "line"],
  ["noise", "nothing but noise"],
];

interface Source {
  shape: string;
  n: number;
  seed: number;
  noise: number;
  table: string | null;
  columns: string[];
}

export function LabScreen({ table }: { table: string | null }) {
  const [mode, setMode] = useState<"plane" | "line">("plane");
  const [source, setSource] = useState<Source>({ shape: "moons", n: 120, seed: 0, noise: 0.2, table: null, columns: [] });
  const [scene, setScene] = useState<Scene | null>(null);
  const [about, setAbout] = useState<any>(null);
  const [learner, setLearner] = useState("svm_rbf");
  const [values, setValues] = useState<Record<string, number>>({});
  const [lesson, setLesson] = useState<any>(null);
  const [found, setFound] = useState<any>(null);
  const [parts, setParts] = useState<any>(null);
  const [pen, setPen] = useState(0);
  const [columns, setColumns] = useState<string[]>([]);
  const [, run] = useTask();
  const { setScript, fail } = useShell();

  const load = (wanted: Source) =>
    run(async () => {
      const data = await post("lab/points", wanted);
      setSource(wanted);
      setParts(null);
      if (!about) setAbout({ learners: data.learners, lessons: data.lessons });
      setScene({ X: data.X, y: data.y, heldX: data.held_points, heldY: data.held_targets, classes: data.classes, axes: data.axes });
    });
  useEffect(() => void load(source), []);
  useEffect(() => {
    if (table) {
      void run(async () => {
        const seen = await get(`tables/${table}`);
        if (seen.task === "classification") {
          setColumns(seen.cards.filter((one: any) => one.kind === "numeric" && !one.is_target).map((one: any) => one.name));
        }
      });
    }
  }, [table]);

  // One request at a time; of those that come meanwhile only the last one is sent.
  const waiting = useRef(false);
  const next = useRef<any>(null);
  const fit = async (body: any) => {
    if (waiting.current) {
      next.current = body;
      return;
    }
    waiting.current = true;
    try {
      const answer = await post("lab/fit", body);
      setFound(answer);
      setScript(answer.script);
    } catch (error) {
      fail(error);
    } finally {
      waiting.current = false;
      const later = next.current;
      next.current = null;
      if (later) void fit(later);
    }
  };
  useEffect(() => {
    if (!scene || scene.y.length < 2) return;
    const { X, y, heldX, heldY, classes } = scene;
    if (classes && new Set(y).size < 2) return;
    void fit({ learner, values, X, y, held_points: heldX, held_targets: heldY, classes });
  }, [scene, learner, values]);

  if (!about || !scene) return <Waiting text="Opening the lab …" />;
  const isLine = scene.classes === null;
  const able = Object.entries(about.learners).filter(([, one]: any) => one[isLine ? "numbers" : "classes"]);
  const sliders = about.learners[learner].sliders;
  const choose = (name: string, set: Record<string, number> = {}) => {
    setLearner(name);
    setValues(set);
    setParts(null);
  };
  const change = (wanted: "plane" | "line") => {
    setMode(wanted);
    setLesson(null);
    if (wanted === "line" && !about.learners[learner].numbers) choose("tree");
    void load({ ...source, table: null, columns: [], shape: wanted === "line" ? "sine" : "moons", n: wanted === "line" ? 60 : 120 });
  };
  const begin = (one: any) => {
    setLesson(one);
    choose(one.learner, one.set);
    if (mode === "line") setMode("plane");
    void load({ ...source, shape: one.points, table: null, columns: [], noise: one.points === "checkerboard" ? 0.1 : 0.2, n: one.points === "checkerboard" ? 300 : 120 });
  };
  const takeParts = () =>
    run(async () => setParts(await post("lab/parts", { learner, values, curve: source.shape, n: Math.min(source.n, 400), noise: source.noise })));

  return (
    <div class="page">
      <h1>Lab</h1>
      <div class="segments" role="group" aria-label="What is predicted">
        <button aria-pressed={mode === "plane"} onClick={() => change("plane")}>
          Classes, two columns
        </button>
        <button aria-pressed={mode === "line"} onClick={() => change("line")}>
          Numbers, one column
        </button>
      </div>
      {mode === "plane" && (
        <div class="lessons" role="group" aria-label="Lessons">
          {about.lessons.map((one: any) => (
            <button key={one.name} aria-pressed={lesson?.name === one.name} onClick={() => begin(one)}>
              {one.name}
            </button>
          ))}
        </div>
      )}
      {lesson && <p class="lead">{lesson.see}</p>}
      <div class="lab">
        <Plane scene={scene} found={found} parts={parts} pen={pen} onChange={(changed) => { setLesson(null); setScene(changed); }} />
        <div class="panel">
          <Select label="Learner" value={learner} options={able.map(([name, one]: any) => [name, one.title])} onChange={(name) => choose(name)} />
          {sliders.map((one: any) => (
            <Slider
              key={learner + one.name}
              label={one.label}
              value={values[one.name] ?? one.start}
              low={one.low}
              high={one.high}
              isLog={one.is_log}
              isWhole={one.is_whole}
              onChange={(value) => {
                setParts(null);
                setValues({ ...values, [one.name]: value });
              }}
            />
          ))}
          <Errors found={found} isLine={isLine} />
          <hr />
          <Select
            label="Points"
            value={source.table ? "" : source.shape}
            options={source.table ? [["", "rows of the table"], ...(isLine ? CURVES : SHAPES)] : isLine ? CURVES : SHAPES}
            onChange={(shape) => shape && load({ ...source, shape, table: null, columns: [] })}
          />
          <Slider label="Number of points" value={source.n} low={10} high={500} isWhole onChange={(n) => load({ ...source, n })} />
          {!source.table && <Slider label="Noise" value={source.noise} low={0} high={0.6} onChange={(noise) => load({ ...source, noise: Number(noise.toFixed(3)) })} />}
          <div class="buttons">
            <button onClick={() => load({ ...source, seed: source.seed + 1 })}>Draw new points</button>
            <button onClick={() => setScene({ ...scene, X: [], y: [], heldX: [], heldY: [] })}>Clear</button>
            <button onClick={() => savePoints(scene)}>Save points.csv</button>
          </div>
          {!isLine && (
            <Select
              label="A click adds a point of"
              value={String(pen)}
              options={(scene.classes ?? []).map((name, at): [string, string] => [String(at), `class ${name}`])}
              onChange={(value) => setPen(Number(value))}
            />
          )}
          {!isLine && table && columns.length > 1 && <OfTable columns={columns} onChosen={(pair) => load({ ...source, table, columns: pair })} />}
          {isLine && (
            <div class="buttons">
              <button onClick={takeParts}>Bias and variance of 100 samples</button>
            </div>
          )}
          {parts && <Parts parts={parts} />}
        </div>
      </div>
      <p class="quiet">
        Click to add a point, drag to move it, click it with Shift to remove it. With the keyboard: arrow keys move the cross, Enter
        adds, Delete removes the nearest point. Hollow points are held out.
      </p>
    </div>
  );
}

/** Write the points into a file, as the command line and the Python below read it. */
function savePoints(scene: Scene) {
  const names = scene.classes;
  const lines = scene.X.map((row, k) => [...row, names ? `"${names[scene.y[k]].replaceAll('"', '""')}"` : scene.y[k]].join(","));
  const head = names ? "x,y,class" : "x,target";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([[head, ...lines, ""].join("\n")], { type: "text/csv" }));
  link.download = "points.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function Errors({ found, isLine }: { found: any; isLine: boolean }) {
  if (!found) return null;
  const words = (value: number | undefined) => (value === undefined ? "–" : isLine ? short(value) : percent(value));
  const most = isLine ? Math.max(found.train_error, found.held_error ?? 0, 1e-9) : 0.5;
  return (
    <div class="errors">
      {[
        ["Training error", found.train_error],
        ["Held-out error", found.held_error],
      ].map(([label, value]) => (
        <p key={label}>
          <span>{label}</span>
          <meter min={0} max={most} value={Math.min(value ?? 0, most)} aria-label={`${label}: ${words(value)}`} />
          <strong>{words(value)}</strong>
        </p>
      ))}
      {found.size && <p class="quiet">{found.size}</p>}
    </div>
  );
}

function Parts({ parts }: { parts: any }) {
  const total = parts.error || 1;
  const rows = [
    ["bias²", Math.max(0, parts.bias2)],
    ["variance", parts.variance],
    ["noise", parts.noise],
  ];
  return (
    <div class="errors">
      <p>Squared error {short(parts.error)}, which is the sum of:</p>
      {rows.map(([label, value]) => (
        <p key={label}>
          <span>{label}</span>
          <meter min={0} max={total} value={Number(value)} aria-label={`${label}: ${short(Number(value))}`} />
          <strong>{short(Number(value))}</strong>
        </p>
      ))}
      <p class="quiet">Thin lines: the learner on 20 of the samples.</p>
    </div>
  );
}

function OfTable({ columns, onChosen }: { columns: string[]; onChosen: (pair: string[]) => void }) {
  const [pair, setPair] = useState([columns[0], columns[1]]);
  return (
    <details>
      <summary>Rows of your table</summary>
      <Select label="Across" value={pair[0]} options={columns} onChange={(name) => setPair([name, pair[1]])} />
      <Select label="Up" value={pair[1]} options={columns} onChange={(name) => setPair([pair[0], name])} />
      <button disabled={pair[0] === pair[1]} onClick={() => onChosen(pair)}>
        Use these columns
      </button>
      <p class="quiet">Both columns are scaled to the square. A picture of two columns says nothing about the others.</p>
    </details>
  );
}
