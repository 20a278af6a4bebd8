// Requests to the studio's own server. There is no other address in this page.

export interface Trouble {
  code: string | null;
  message: string;
  column?: string | null;
  repair?: { python?: string | null; flag?: string | null };
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly trouble: Trouble,
  ) {
    super(trouble.message);
  }
}

let header = "";

async function answer(response: Response): Promise<any> {
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const data = isJson ? await response.json() : await response.text();
  if (response.ok) return data;
  const fallback = { code: null, message: `The server answered ${response.status}.` };
  throw new ApiError(response.status, (isJson && data.error) || fallback);
}

async function request(method: string, path: string, init: RequestInit): Promise<any> {
  try {
    return await answer(await fetch(`/api/${path}`, { method, ...init }));
  } catch (error) {
    if (error instanceof ApiError || (error as Error).name === "AbortError") throw error;
    throw new ApiError(0, {
      code: null,
      message: "The studio does not answer. Was it ended in the terminal? Start it again there.",
    });
  }
}

export const get = (path: string, signal?: AbortSignal) => request("GET", path, { signal });

export const post = (path: string, body: unknown = {}, signal?: AbortSignal) =>
  request("POST", path, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "x-studio-token": header },
    signal,
  });

export const remove = (path: string) =>
  request("DELETE", path, {
    headers: { "content-type": "application/json", "x-studio-token": header },
  });

export const putFile = (path: string, file: File, more: Record<string, string> = {}) =>
  request("PUT", `${path}?${new URLSearchParams({ name: file.name, ...more })}`, {
    body: file,
    headers: { "content-type": "application/octet-stream", "x-studio-token": header },
  });

/** Exchange the secret of the address for the cookie; without one, use the cookie there is. */
export async function enter(): Promise<any> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token) {
    history.replaceState(null, "", location.pathname);
    const found = await request("POST", "enter", {
      body: JSON.stringify({ token }),
      headers: { "content-type": "application/json", "x-studio-token": "enter" },
    });
    header = found.header;
  }
  const session = await get("session");
  header = session.header;
  return session;
}
