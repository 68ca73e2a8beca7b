// The colours of the site's tokens (styles/tokens.css) as the picture needs them: resolved for light or dark, and mixed.

export interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly strong: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly amber: string;
  readonly violet: string;
  readonly grey: string;
  readonly font: string;
  /** Of communities, in turn: dots and names. */
  readonly hues: readonly string[];
}

type Rgb = readonly [number, number, number];

/** Reads the colours as they are where `place` stands now. */
export function readColours(place: HTMLElement): Colours {
  const probe = document.createElement("span");
  probe.hidden = true;
  place.append(probe);
  const read = (token: string): string => {
    probe.style.color = `var(--${token})`;
    return toHex(parse(getComputedStyle(probe).color));
  };
  const colours = {
    ground: read("c-ground"),
    text: read("c-text"),
    strong: read("c-strong"),
    muted: read("c-muted"),
    line: read("c-line-strong"),
    accent: read("c-accent"),
    amber: read("h-amber"),
    violet: read("h-violet"),
    grey: read("h-grey"),
    hues: ["h-blue", "h-green", "h-violet", "h-amber", "h-cyan", "h-red"].map(read),
    font: getComputedStyle(place).fontFamily,
  };
  probe.remove();
  return colours;
}

function parse(colour: string): Rgb {
  const found = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  return [found[0] ?? 0, found[1] ?? 0, found[2] ?? 0];
}

function read(hex: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16)) as unknown as Rgb;
}

function toHex(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Returns `share` of one colour on another. */
export function mix(colour: string, ground: string, share: number): string {
  const [one, other] = [read(colour), read(ground)];
  return toHex([0, 1, 2].map((part) => (one[part] ?? 0) * share + (other[part] ?? 0) * (1 - share)) as unknown as Rgb);
}
