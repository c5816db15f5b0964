import { encode } from 'jpeg-js';
import type { Pixels } from './pixels.ts';

/** Longer side of a frame, pixels. */
export const FRAME_SIDE = 160;
const FRAMES_A_ROW = 8;
const GAP = 2;
const QUALITY = 60;
const DARK = 24;

/** A strip as one JPEG picture. */
interface Picture {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Frames from first to last, eight a row, on a dark ground. Equal frames give equal bytes. Pure. */
export function stripOf(frames: readonly Pixels[]): Picture {
  const tile = {
    width: frames.reduce((most, { width }) => Math.max(most, width), 1),
    height: frames.reduce((most, { height }) => Math.max(most, height), 1),
  };
  const columns = Math.min(frames.length, FRAMES_A_ROW);
  const rows = Math.ceil(frames.length / FRAMES_A_ROW);
  const width = columns * (tile.width + GAP) - GAP;
  const height = rows * (tile.height + GAP) - GAP;
  const rgba = new Uint8Array(width * height * 4).fill(DARK);
  for (const [index, frame] of frames.entries()) {
    const left = (index % FRAMES_A_ROW) * (tile.width + GAP);
    const top = Math.floor(index / FRAMES_A_ROW) * (tile.height + GAP);
    for (let row = 0; row < frame.height; row += 1) {
      for (let column = 0; column < frame.width; column += 1) {
        const from = (row * frame.width + column) * 3;
        rgba.set(frame.rgb.subarray(from, from + 3), ((top + row) * width + left + column) * 4);
      }
    }
  }
  const { data } = encode({ width, height, data: rgba }, QUALITY);
  return { jpeg: new Uint8Array(data), width, height };
}
