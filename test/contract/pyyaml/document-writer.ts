import type { Chance } from './chance.ts';
import { LINE_ENDS, QUOTED, TAGS, TYPED, WORDS } from './pieces.ts';

/** A tag with a text that it may or may not take. */
export function typed(chance: Chance): string {
  const [tag, values] = chance.one(TYPED);
  return `${tag} ${chance.one(values)}`;
}

/** Writes a random document, mostly right, with the odd freedom that is right or wrong by a hair. */
export class DocumentWriter {
  readonly #chance: Chance;
  #anchors = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  document(): string {
    const chance = this.#chance;
    let text = '';
    if (chance.in(20)) text += '\ufeff';
    if (chance.in(25)) text += this.#comment();
    if (chance.in(12)) text += this.#directives();
    if (chance.in(8)) text += `---${chance.one(['\n', ' ', ' # c\n', ' |\n', ' !!map\n', '\t', ''])}`;
    text += this.#block(0, 2 + chance.below(3));
    if (chance.in(12))
      text += chance.one([
        '...\n',
        '... # c\n',
        '---\n',
        '--- b\n',
        '...\n---\n',
        '...\n...\n',
        '\t',
        '  # end',
      ]);
    if (chance.in(6)) {
      const end = chance.one(LINE_ENDS);
      text = text.replaceAll('\n', () => (chance.in(3) ? end : '\n'));
    }
    return chance.in(5) ? text.trimEnd() : text;
  }

  /** A mapping in block style whose keys stand at an indentation. */
  mappingAt(indent: number): string {
    return this.#mapping(indent, 3);
  }

  #directives(): string {
    const { one, in: once } = {
      one: this.#chance.one.bind(this.#chance),
      in: this.#chance.in.bind(this.#chance),
    };
    const all = [
      '%YAML 1.1\n',
      '%YAML 1.2 # c\n',
      '%YAML 2.0\n',
      '%YAML 1\n',
      '%YAML 1.1 x\n',
      '%TAG !e! tag:yaml.org,2002:\n',
    ];
    all.push(
      '%TAG ! tag:yaml.org,2002:\n',
      '%TAG !! x:\n',
      '%TAG !e\n',
      '%TAG e y\n',
      '%X y z\n',
      '% \n',
      '%YAML\t1.1\n',
    );
    return one(all) + (once(4) ? one(all) : '') + (once(6) ? '' : '---\n');
  }

  #comment(): string {
    return `${' '.repeat(this.#chance.below(4))}${this.#chance.one(['# c', '#', '#\u2028x', '# é😀', '#\tc'])}\n`;
  }

  #blanks(): string {
    return this.#chance.in(30) ? this.#chance.one(['\t', '  ', ' \t', '\t ', '']) : ' ';
  }

  #lineEnd(): string {
    const chance = this.#chance;
    if (chance.in(20))
      return chance.one([' # c\n', '# c\n', '\t# c\n', ' \n', '\t\n', '\n\n', '\n  # c\n', '\n#c\n', ' #\n']);
    return '\n';
  }

  #newAnchor(): string {
    this.#anchors += 1;
    return `a${this.#anchors}`;
  }

  /** Anchor, tag, or both; mostly neither. */
  #properties(): string {
    const chance = this.#chance;
    if (!chance.in(14)) return '';
    const anchor = `&${chance.in(6) ? chance.one(['a', 'a.b', 'é', '', 'a1', '-']) : this.#newAnchor()} `;
    const tag = `${chance.one(TAGS)} `;
    return chance.one([anchor, anchor, anchor, tag, anchor + tag, tag + anchor, anchor + anchor]);
  }

  #alias(): string {
    const chance = this.#chance;
    return `*${chance.in(8) ? chance.one(['a', 'zz', 'a1.', '']) : `a${1 + chance.below(Math.max(1, this.#anchors))}`}`;
  }

  /** A node that stands in a block at an indentation and ends its line. */
  #block(indent: number, depth: number): string {
    const chance = this.#chance;
    const kind = depth <= 0 ? 9 : chance.below(10);
    if (kind < 4) return this.#mapping(indent, depth);
    if (kind < 6) return this.#sequence(indent, depth);
    if (kind === 6)
      return `${' '.repeat(indent)}${this.#properties()}${this.#flow(depth, indent)}${this.#lineEnd()}`;
    return ' '.repeat(indent) + this.#properties() + this.#scalar(indent) + this.#lineEnd();
  }

  #pad(indent: number): string {
    if (this.#chance.in(120)) return ' '.repeat(Math.max(0, indent + this.#chance.below(3) - 1));
    return this.#chance.in(300) ? '\t' : ' '.repeat(indent);
  }

  #mapping(indent: number, depth: number): string {
    const chance = this.#chance;
    return chance
      .many(1 + chance.below(4), () => {
        if (chance.in(12)) return this.#complexPair(indent, depth);
        const key = `${this.#pad(indent)}${this.#key()}${chance.in(15) ? this.#blanks() : ''}:`;
        return key + this.#value(indent, depth);
      })
      .join('');
  }

  #complexPair(indent: number, depth: number): string {
    const key = `${this.#pad(indent)}?${this.#value(indent, Math.min(1, depth))}`;
    return this.#chance.in(5) ? key : `${key}${this.#pad(indent)}:${this.#value(indent, depth)}`;
  }

  #value(indent: number, depth: number): string {
    const chance = this.#chance;
    const deeper = indent + 1 + chance.below(3);
    switch (depth <= 0 ? 8 : chance.below(12)) {
      case 0:
      case 1:
        return `${this.#blanks()}${this.#properties()}${this.#lineEnd()}${this.#mapping(deeper, depth - 1)}`;
      case 2:
        return `${this.#blanks()}${this.#properties()}${this.#lineEnd()}${this.#sequence(chance.in(2) ? indent : deeper, depth - 1)}`;
      case 3:
        return `${this.#blanks()}${this.#flow(depth, indent)}${this.#lineEnd()}`;
      case 4:
        return this.#lineEnd();
      case 5:
        return `${this.#lineEnd()}${this.#block(deeper, depth - 1)}`;
      case 6:
        return ` ${typed(chance)}${this.#lineEnd()}`;
      case 7:
        return ` ${this.#alias()}${this.#lineEnd()}`;
      default:
        return `${this.#blanks()}${this.#properties()}${this.#scalar(indent)}${this.#lineEnd()}`;
    }
  }

  #sequence(indent: number, depth: number): string {
    const chance = this.#chance;
    return chance
      .many(1 + chance.below(3), () => {
        const dash = `${this.#pad(indent)}-`;
        const inner = indent + 2;
        if (depth > 0 && chance.in(4)) return `${dash} ${this.#mapping(inner, depth - 1).trimStart()}`;
        if (depth > 0 && chance.in(8)) return `${dash} ${this.#sequence(inner, depth - 1).trimStart()}`;
        return dash + this.#value(indent, depth - 1);
      })
      .join('');
  }

  #key(): string {
    const chance = this.#chance;
    switch (chance.below(24)) {
      case 0:
        return this.#quotedScalar(0);
      case 1:
        return this.#alias();
      case 2:
        return '<<';
      case 3:
        return '=';
      case 4:
        return this.#flow(1, 0);
      case 5:
        return chance.one(WORDS);
      case 6:
        return `"${'k'.repeat(1015 + chance.below(20))}"`;
      case 7:
        return this.#properties() + chance.one(WORDS);
      default:
        return chance.one(['a', 'b', 'c', 'key', 'k1', 'name', 'session_id', 'x y']);
    }
  }

  #scalar(indent: number): string {
    switch (this.#chance.below(8)) {
      case 0:
      case 1:
        return this.#quotedScalar(indent);
      case 2:
        return this.#blockScalar(indent);
      case 3:
        return this.#folded(indent);
      case 4:
        return this.#chance.in(3) ? '' : this.#alias();
      default:
        return this.#chance.one(WORDS);
    }
  }

  #quotedScalar(indent: number): string {
    const chance = this.#chance;
    const isDouble = chance.in(2);
    const parts = chance.many(chance.below(5), () => chance.one(chance.in(3) ? WORDS : QUOTED));
    const text = parts.join(chance.one(['', '', ' ', `\n${' '.repeat(indent + 1)}`]));
    if (chance.in(20)) return `"${text}"`;
    const safe = isDouble ? text.replaceAll(/(?<!\\)"/g, '\\"') : text.replaceAll("'", "''");
    return isDouble ? `"${safe}"` : `'${safe}'`;
  }

  /** An unquoted text over several lines. */
  #folded(indent: number): string {
    const chance = this.#chance;
    const pad = ' '.repeat(indent + chance.below(3));
    return chance
      .many(1 + chance.below(4), () => chance.one(WORDS))
      .join(chance.one([' ', `\n${pad}`, `\n\n${pad}`, ` \n${pad}`, '\t']));
  }

  #blockScalar(indent: number): string {
    const chance = this.#chance;
    const header = chance.one([
      '|',
      '>',
      '|-',
      '>-',
      '|+',
      '>+',
      '|2',
      '>1-',
      '|+3',
      '|0',
      '| #c',
      '|#c',
      '> x',
      '|\t',
      '|++',
    ]);
    const pad = ' '.repeat(indent + 1 + chance.below(3));
    const lines = chance.many(chance.below(5), () =>
      chance.one([
        `${pad}${chance.one(WORDS)}`,
        `${pad}  ${chance.one(WORDS)}`,
        '',
        pad,
        `${pad}\tx`,
        `${' '.repeat(indent)}y`,
        `${pad}# c`,
        `${pad} `,
      ]),
    );
    return `${header}\n${lines.join('\n')}`;
  }

  #flow(depth: number, indent: number): string {
    const chance = this.#chance;
    const isMapping = chance.in(2);
    const [open, close] = isMapping ? ['{', '}'] : ['[', ']'];
    const item = isMapping ? () => this.#flowPair(depth, indent) : () => this.#flowItem(depth, indent);
    const items = chance.many(chance.below(4), item);
    const gap = chance.one([
      '',
      ' ',
      ' ',
      `\n${' '.repeat(chance.below(indent + 3))}`,
      '\n',
      '\n # c\n',
      '\t',
    ]);
    const separator = chance.in(12) ? chance.one([' , ', ',', ',,', ' ']) : ', ';
    return `${open}${gap}${items.join(separator)}${chance.in(8) ? ',' : ''}${gap}${chance.in(40) ? '' : close}`;
  }

  #flowItem(depth: number, indent: number): string {
    const chance = this.#chance;
    if (chance.in(8)) return this.#flowPair(depth, indent);
    return this.#properties() + this.#flowNode(depth - 1, indent);
  }

  #flowNode(depth: number, indent: number): string {
    const chance = this.#chance;
    if (depth > 0 && chance.in(3)) return this.#flow(depth - 1, indent);
    switch (chance.below(8)) {
      case 0:
        return this.#quotedScalar(indent);
      case 1:
        return this.#alias();
      case 2:
        return chance.in(3) ? '' : this.#folded(indent);
      case 3:
        return chance.in(4) ? typed(chance) : chance.one(WORDS);
      default:
        return chance.one(WORDS.slice(0, 60));
    }
  }

  #flowPair(depth: number, indent: number): string {
    const chance = this.#chance;
    if (chance.in(10)) return this.#key();
    const mark = chance.in(12) ? chance.one(['? ', '?', '?\n']) : '';
    const colon = chance.in(10) ? chance.one([':', ' :', ':\t', ' : ', '\n: ']) : ': ';
    return mark + this.#key() + colon + this.#flowItem(depth, indent);
  }
}
