// Groups of rows and axes of a table, without a target.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, post } from "./api";
import { count, Drawing, Field, percent, Select, useShell, Waiting } from "./parts";

const METHODS: [string, string][] = [
  ["kmeans", "k-means"],
  ["kmedoids", "k-medoids"],
  ["agglomerative", "agglomerative (a tree of clusters)"],
  ["divisive", "divisive"],
  ["mixture", "mixture of distributions"],
];

export function GroupsScreen({ table }: { table: string }) {
  const [source, setSource] = useState<any>(null);
  const [method, setMethod] = useState("kmeans");
  const [n, setN] = useState("");
  const [groups, setGroups] = useState<any>(null);
  const [axes, setAxes] = useState<any>(null);
  const [doing, setDoing] = useState("");
  const [step, setStep] = useState("");
  const [seconds, setSeconds] = useState(0);
  const stopped = useRef(false);
  const { fail, setScript } = useShell();
  useEffect(() => {
    get(`tables/${table}`).then(setSource, fail);
  }, [table]);
  useEffect(() => {
    if (!doing) return;
    const begun = Date.now();
    const timer = setInterval(() => {
      setSeconds(Math.round((Date.now() - begun) / 1000));
      get("groups/doing").then(
        (found) => found.doing && setStep(found.doing),
        () => {},
      );
    }, 700);
    return () => clearInterval(timer);
  }, [doing]);

  const run = async (what: string, path: string, body: any, take: (found: any) => void) => {
    stopped.current = false;
    setSeconds(0);
    setStep(`${what} …`);
    setDoing(what);
    try {
      const found = await post(path, body);
      take(found);
      setScript(found.script);
    } catch (error) {
      if (!(stopped.current && error instanceof ApiError)) fail(error);
    } finally {
      setDoing("");
    }
  };
  const stop = () => {
    stopped.current = true;
    post("groups/stop").catch(fail);
  };
  if (!source) return <Waiting text="Reading the table …" />;
  return (
    <div class="page">
      <h1>Groups and axes</h1>
      <p class="quiet">
        What the {source.rows.toLocaleString("en")} rows of {source.table.name} have in common, without looking at the target
        {source.table.target ? ` (${source.table.target})` : ""}.
      </p>
      <div class="panel tools">
        <Select label="How groups are found" value={method} options={METHODS} onChange={setMethod} />
        <Field label="How many groups">
          <input type="number" min={2} max={50} placeholder="as many as there are" value={n} onInput={(event) => setN(event.currentTarget.value)} />
        </Field>
        <div class="buttons">
          <button
            class="primary"
            disabled={doing !== ""}
            onClick={() => run("Looking for groups", "groups", { table, method, n_clusters: n === "" ? null : Number(n) }, setGroups)}
          >
            Find groups
          </button>
          <button disabled={doing !== ""} onClick={() => run("Looking for axes", "groups/axes", { table }, setAxes)}>
            Find axes
          </button>
        </div>
      </div>
      {doing && (
        <p class="buttons">
          <Waiting text={step} />
          <span class="quiet">{seconds} s</span>
          <button onClick={stop}>Stop</button>
        </p>
      )}
      {groups && <Groups found={groups} />}
      {axes && <Axes found={axes} />}
    </div>
  );
}

function Groups({ found }: { found: any }) {
  const lines: string[] = found.text.split("\n");
  const gap = lines.indexOf("");
  return (
    <section aria-label="Groups">
      <h2>{count(found.n_clusters, found.are_groups ? "group" : "cluster")}</h2>
      <div class="panel advice">
        {lines.slice(0, gap < 0 ? undefined : gap).map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      {gap >= 0 && <pre tabIndex={0}>{lines.slice(gap + 1).join("\n")}</pre>}
      <Drawing svg={found.svg} />
      {found.n_clusters > 1 && (
        <details>
          <summary>How many groups</summary>
          <Drawing svg={found.how_many_svg} />
        </details>
      )}
      {found.dendrogram && (
        <details>
          <summary>Dendrogram</summary>
          <Drawing svg={found.dendrogram} />
        </details>
      )}
      {found.set_aside.length > 0 && <p class="quiet">Set aside, because they only name rows or hold one value: {found.set_aside.join(", ")}.</p>}
    </section>
  );
}

function Axes({ found }: { found: any }) {
  return (
    <section aria-label="Axes">
      <h2>Axes</h2>
      <pre tabIndex={0}>{found.text}</pre>
      <ol>
        {found.formulas.map((text: string, at: number) => (
          <li key={text}>
            {percent(found.shares[at])} of the variance: {text}
          </li>
        ))}
      </ol>
      {found.biplot && <Drawing svg={found.biplot} />}
      <details>
        <summary>Variance of each axis</summary>
        <Drawing svg={found.scree} />
      </details>
    </section>
  );
}
