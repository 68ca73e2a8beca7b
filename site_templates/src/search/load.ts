// Fetches the files of the index, each once, and again when the site was built anew in between.

/** Returns a file's JSON; rejects when there is none. */
export type Load = (name: string) => Promise<unknown>;

const KEPT = 400;

/** Keeps what was fetched, the newest `KEPT` files. `no-cache` makes the browser ask whether its copy is still the current one. */
export class Files {
  private readonly kept = new Map<string, Promise<unknown>>();

  constructor(private readonly fetchFile: Load) {}

  load(name: string): Promise<unknown> {
    let found = this.kept.get(name);
    if (!found) {
      found = this.fetchFile(name).catch((error: unknown) => {
        this.kept.delete(name);
        throw error;
      });
      this.kept.set(name, found);
      const oldest = this.kept.keys().next();
      if (this.kept.size > KEPT && !oldest.done) this.kept.delete(oldest.value);
    }
    return found;
  }

  /** Forgets everything: the files on the server are others now. */
  clear(): void {
    this.kept.clear();
  }
}

/** Returns a loader of the files below an address that ends with a slash. */
export function fetchBelow(base: string): Load {
  return async (name) => {
    const response = await fetch(new URL(name, base), { cache: "no-cache", credentials: "same-origin" });
    if (!response.ok) throw new Error(`search index: ${response.status} for ${name}`);
    return response.json();
  };
}
