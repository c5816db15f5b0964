/** A picture in memory: rows of red, green and blue, a byte each. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** An array of an observation that can be shown: `at(row, column, channel)` is 0 to 255. */
export interface ImageArray {
  readonly width: number;
  readonly height: number;
  readonly at: (row: number, column: number, channel: number) => number;
}

/** Samples of each axis that make one small pixel; more would not be seen, and a large image would take its time. */
const MOST_SAMPLES = 4;

/** The image with its longer side at most `side` pixels: each pixel is the mean of what it covers. Pure. */
export function shrunk({ width, height, at }: ImageArray, side: number): Pixels {
  const scale = Math.max(1, Math.max(width, height) / side);
  const small = {
    width: Math.max(1, Math.round(width / scale)),
    height: Math.max(1, Math.round(height / scale)),
  };
  const columns = spans(width, small.width);
  const rows = spans(height, small.height);
  const rgb = new Uint8Array(small.width * small.height * 3);
  let place = 0;
  for (const across of rows) {
    for (const along of columns) {
      for (let channel = 0; channel < 3; channel += 1) {
        let sum = 0;
        for (const row of across) for (const column of along) sum += at(row, column, channel);
        rgb[place] = Math.round(sum / (across.length * along.length));
        place += 1;
      }
    }
  }
  return { ...small, rgb };
}

/** For each small place the large ones that are looked at for it. */
function spans(large: number, small: number): readonly (readonly number[])[] {
  return Array.from({ length: small }, (_, index) => {
    const first = Math.floor((index * large) / small);
    const past = Math.max(first + 1, Math.ceil(((index + 1) * large) / small));
    const step = Math.max(1, Math.ceil((past - first) / MOST_SAMPLES));
    return Array.from({ length: Math.ceil((past - first) / step) }, (__, each) => first + each * step);
  });
}
