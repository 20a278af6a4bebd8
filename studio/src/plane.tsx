// The picture of the lab: regions, margins, points; points are added, moved and removed here.

import { useEffect, useRef, useState } from "preact/hooks";

export interface Scene {
  X: number[][];
  y: number[];
  heldX: number[][];
  heldY: number[];
  classes: string[] | null;
  axes: string[];
}

// The colors of our charts, in their order: on light and on dark ground.
const LIGHT = ["#1f5fa8", "#c96a00", "#1f9e7a", "#8f125c", "#8e69dd", "#b44209", "#7b8bc7", "#6a4305"];
const DARK = ["#69a5f7", "#f2a65e", "#2ed7a9", "#d54c9d", "#c4bdff", "#ee1518", "#a6b0d6", "#b98b50"];
const SIZE = 560;
const NEAR = 0.04;

interface PlaneProps {
  scene: Scene;
  found: any;
  parts: any;
  pen: number;
  onChange: (scene: Scene) => void;
}

export function Plane({ scene, found, parts, pen, onChange }: PlaneProps) {
  const place = useRef<HTMLCanvasElement>(null);
  const [cross, setCross] = useState<[number, number] | null>(null);
  const [dark, setDark] = useState(matchMedia("(prefers-color-scheme: dark)").matches);
  const moved = useRef<number | null>(null);
  const isLine = scene.classes === null;

  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  useEffect(() => {
    const context = place.current?.getContext("2d");
    if (!context) return;
    const scale = SIZE * Math.min(2, devicePixelRatio || 1);
    if (place.current && place.current.width !== scale) place.current.width = place.current.height = scale;
    context.setTransform(scale / 2, 0, 0, -scale / 2, scale / 2, scale / 2);
    paint(context, { scene, found, parts, dark, isLine });
    if (cross) paintCross(context, cross, dark);
  }, [scene, found, parts, dark, cross, isLine]);

  const at = (event: PointerEvent): [number, number] => {
    const box = place.current!.getBoundingClientRect();
    return [clip((2 * (event.clientX - box.left)) / box.width - 1), clip(1 - (2 * (event.clientY - box.top)) / box.height)];
  };
  const pointOf = (row: number): [number, number] => (isLine ? [scene.X[row][0], scene.y[row]] : (scene.X[row] as [number, number]));
  const nearest = ([x, y]: [number, number]): number | null => {
    let best: number | null = null;
    let least = NEAR;
    scene.X.forEach((_, row) => {
      const [px, py] = pointOf(row);
      const far = Math.hypot(px - x, py - y);
      if (far < least) [best, least] = [row, far];
    });
    return best;
  };
  const put = (row: number | null, [x, y]: [number, number]) => {
    const X = [...scene.X];
    const targets = [...scene.y];
    const where = row ?? X.length;
    if (where >= 600) return;
    X[where] = isLine ? [x] : [x, y];
    if (isLine) targets[where] = y;
    else if (row === null) targets[where] = pen;
    onChange({ ...scene, X, y: targets });
  };
  const drop = (row: number) =>
    onChange({ ...scene, X: scene.X.filter((_, k) => k !== row), y: scene.y.filter((_, k) => k !== row) });

  const onKey = (event: KeyboardEvent) => {
    const [x, y] = cross ?? [0, 0];
    const step = event.shiftKey ? 0.01 : 0.05;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [x - step, y],
      ArrowRight: [x + step, y],
      ArrowUp: [x, y + step],
      ArrowDown: [x, y - step],
    };
    if (moves[event.key]) setCross([clip(moves[event.key][0]), clip(moves[event.key][1])]);
    else if (event.key === "Enter") put(null, [x, y]);
    else if (event.key === "Delete" || event.key === "Backspace") {
      const row = nearest([x, y]);
      if (row !== null) drop(row);
    } else return;
    event.preventDefault();
  };

  const words = isLine
    ? `${scene.X.length} points of one column with a curve`
    : `${scene.X.length} points of ${scene.classes?.length} classes with the regions that the learner predicts`;
  return (
    <figure class="plane">
      <canvas
        ref={place}
        width={SIZE}
        height={SIZE}
        tabIndex={0}
        role="application"
        aria-label={`${words}. Arrow keys move a cross, Enter adds a point, Delete removes the nearest one.`}
        onKeyDown={onKey}
        onBlur={() => setCross(null)}
        onPointerDown={(event) => {
          const spot = at(event);
          const row = nearest(spot);
          if (event.shiftKey || event.button === 2) {
            if (row !== null) drop(row);
            return;
          }
          place.current?.setPointerCapture(event.pointerId);
          moved.current = row ?? scene.X.length;
          put(row, row === null ? spot : pointOf(row));
        }}
        onPointerMove={(event) => {
          if (moved.current !== null && event.buttons === 1 && moved.current < scene.X.length) put(moved.current, at(event));
        }}
        onPointerUp={() => {
          moved.current = null;
        }}
        onContextMenu={(event) => event.preventDefault()}
      />
      <figcaption>
        <span>{scene.axes[0]} →</span> <span>{isLine ? "↑ target" : `↑ ${scene.axes[1]}`}</span>
        <Legend scene={scene} found={found} dark={dark} />
      </figcaption>
    </figure>
  );
}

function Legend({ scene, found, dark }: { scene: Scene; found: any; dark: boolean }) {
  const colors = dark ? DARK : LIGHT;
  return (
    <span class="legend">
      {scene.classes?.map((name, k) => (
        <span key={name}>
          <svg viewBox="-6 -6 12 12" width="12" height="12" aria-hidden="true">
            <path d={MARKS[k % MARKS.length]} fill={colors[k]} />
          </svg>{" "}
          {name}
        </span>
      ))}
      {found?.support && scene.classes && <span>◯ support vector ({found.support.length})</span>}
    </span>
  );
}

const clip = (value: number) => Math.max(-1, Math.min(1, value));

// Classes differ in shape as well as in color.
const MARKS = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M-4-4h8v8h-8z", "M0-5l5 8.5h-10z", "M0-5l5 5l-5 5l-5-5z", "M-5-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z"];

interface What {
  scene: Scene;
  found: any;
  parts: any;
  dark: boolean;
  isLine: boolean;
}

function paint(context: CanvasRenderingContext2D, { scene, found, parts, dark, isLine }: What) {
  const colors = dark ? DARK : LIGHT;
  const ink = dark ? "#e6edf3" : "#1f2328";
  context.fillStyle = dark ? "#14181d" : "#ffffff";
  context.fillRect(-1, -1, 2, 2);
  if (isLine) {
    paintCurves(context, found, parts, colors, ink);
    scene.heldX.forEach((row, k) => mark(context, row[0], scene.heldY[k], 0, colors[0], { hollow: true, size: 0.006 }));
    scene.X.forEach((row, k) => mark(context, row[0], scene.y[k], 0, colors[0], { ink }));
    return;
  }
  if (found?.best) paintRegions(context, found, colors, dark);
  if (found?.margin) {
    for (const [level, dashes] of [
      [-1, [0.02, 0.02]],
      [1, [0.02, 0.02]],
      [0, []],
    ] as [number, number[]][]) {
      contour(context, found.margin, found.steps, level, ink, dashes);
    }
  }
  scene.heldX.forEach((row, k) => mark(context, row[0], row[1], scene.heldY[k], colors[scene.heldY[k]], { hollow: true, size: 0.009 }));
  scene.X.forEach((row, k) => {
    const weight = found?.weights?.length === scene.X.length ? 0.008 + 0.026 * Math.sqrt(found.weights[k]) : 0.015;
    mark(context, row[0], row[1], scene.y[k], colors[scene.y[k]], { ink, size: weight });
  });
  for (const row of found?.support ?? []) {
    if (row >= scene.X.length) continue;
    context.beginPath();
    context.arc(scene.X[row][0], scene.X[row][1], 0.027, 0, 7);
    context.strokeStyle = ink;
    context.lineWidth = 0.004;
    context.stroke();
  }
}

function paintRegions(context: CanvasRenderingContext2D, found: any, colors: string[], dark: boolean) {
  const n = found.steps;
  const image = new ImageData(n, n);
  const rgb = colors.map((hex) => [1, 3, 5].map((k) => Number.parseInt(hex.slice(k, k + 2), 16)));
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < n; column++) {
      const from = row * n + column;
      const to = 4 * ((n - 1 - row) * n + column);
      const [r, g, b] = rgb[found.best[from]];
      image.data.set([r, g, b, 24 + (dark ? 0.42 : 0.36) * found.sure[from]], to);
    }
  }
  const small = new OffscreenCanvas(n, n);
  small.getContext("2d")?.putImageData(image, 0, 0);
  context.save();
  context.scale(1, -1);
  context.imageSmoothingEnabled = true;
  // Values stand at the corners of the grid, so the picture reaches half a cell beyond it.
  const edge = 1 + 1 / (n - 1);
  context.drawImage(small, -edge, -edge, 2 * edge, 2 * edge);
  context.restore();
}

function paintCurves(context: CanvasRenderingContext2D, found: any, parts: any, colors: string[], ink: string) {
  const line = (xs: number[], ys: number[], color: string, width: number, alpha = 1, dashes: number[] = []) => {
    context.globalAlpha = alpha;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.setLineDash(dashes);
    context.beginPath();
    xs.forEach((x, k) => context.lineTo(x, ys[k]));
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  };
  if (parts) {
    for (const one of parts.curves) line(parts.at, one, colors[1], 0.004, 0.4);
    line(parts.at, parts.truth, ink, 0.008, 1, [0.03, 0.02]);
  }
  if (found?.curve_x) line(found.curve_x, found.curve_y, colors[1], 0.014);
}

function mark(context: CanvasRenderingContext2D, x: number, y: number, kind: number, color: string, how: { hollow?: boolean; size?: number; ink?: string }) {
  const { size = 0.015 } = how;
  context.save();
  context.translate(x, y);
  context.scale(size / 4, -size / 4);
  const path = new Path2D(MARKS[(kind || 0) % MARKS.length]);
  if (how.hollow) {
    context.strokeStyle = color;
    context.lineWidth = 1.6;
    context.globalAlpha = 0.55;
    context.stroke(path);
  } else {
    context.fillStyle = color;
    context.fill(path);
    context.strokeStyle = how.ink ?? color;
    context.lineWidth = 0.8;
    context.stroke(path);
  }
  context.restore();
}

/** The line where the grid has a value, by marching squares. */
function contour(context: CanvasRenderingContext2D, grid: number[], n: number, level: number, ink: string, dashes: number[]) {
  const at = (k: number) => -1 + (2 * k) / (n - 1);
  context.beginPath();
  for (let row = 0; row + 1 < n; row++) {
    for (let column = 0; column + 1 < n; column++) {
      const a = grid[row * n + column] - level;
      const b = grid[row * n + column + 1] - level;
      const c = grid[(row + 1) * n + column + 1] - level;
      const d = grid[(row + 1) * n + column] - level;
      const cuts: [number, number][] = [];
      if (a * b < 0) cuts.push([column + a / (a - b), row]);
      if (b * c < 0) cuts.push([column + 1, row + b / (b - c)]);
      if (c * d < 0) cuts.push([column + d / (d - c), row + 1]);
      if (d * a < 0) cuts.push([column, row + a / (a - d)]);
      for (let k = 0; k + 1 < cuts.length; k += 2) {
        context.moveTo(at(cuts[k][0]), at(cuts[k][1]));
        context.lineTo(at(cuts[k + 1][0]), at(cuts[k + 1][1]));
      }
    }
  }
  context.strokeStyle = ink;
  context.lineWidth = dashes.length ? 0.005 : 0.009;
  context.stroke();
}

function paintCross(context: CanvasRenderingContext2D, [x, y]: [number, number], dark: boolean) {
  context.strokeStyle = dark ? "#e6edf3" : "#1f2328";
  context.lineWidth = 0.006;
  context.beginPath();
  context.moveTo(x - 0.04, y);
  context.lineTo(x + 0.04, y);
  context.moveTo(x, y - 0.04);
  context.lineTo(x, y + 0.04);
  context.stroke();
}
