/*
 * What a document consists of before it becomes values. An alias is the very node of its anchor, so that a value that
 * stands in several places is built once.
 */

/** Tag of everything that stands in the YAML type repository. */
export const YAML_TAG = 'tag:yaml.org,2002:';
export const NULL_TAG = 'tag:yaml.org,2002:null';
export const STR_TAG = 'tag:yaml.org,2002:str';
export const SEQ_TAG = 'tag:yaml.org,2002:seq';
export const MAP_TAG = 'tag:yaml.org,2002:map';
export const MERGE_TAG = 'tag:yaml.org,2002:merge';
export const VALUE_TAG = 'tag:yaml.org,2002:value';

export class ScalarNode {
  readonly kind = 'scalar';
  /** Changes at most once: a key with the tag of `=` becomes text when its mapping is built. */
  tag: string;
  readonly start: number;
  readonly text: string;
  /** The value once it was built, undefined before. */
  built: unknown = undefined;

  constructor(tag: string, start: number, text: string) {
    this.tag = tag;
    this.start = start;
    this.text = text;
  }
}

export class SequenceNode {
  readonly kind = 'sequence';
  tag: string;
  readonly start: number;
  readonly items: Node[] = [];
  built: unknown = undefined;

  constructor(tag: string, start: number) {
    this.tag = tag;
    this.start = start;
  }
}

export class MappingNode {
  readonly kind = 'mapping';
  tag: string;
  readonly start: number;
  /** Keys and values by turns. */
  items: Node[] = [];
  /** Whether a key is `<<` or `=`. */
  hasSpecialKey = false;
  built: unknown = undefined;

  constructor(tag: string, start: number) {
    this.tag = tag;
    this.start = start;
  }
}

export type Node = ScalarNode | SequenceNode | MappingNode;

/** Where nothing stands: null. */
export function emptyNode(start: number): ScalarNode {
  return new ScalarNode(NULL_TAG, start, '');
}

export function addPair(node: MappingNode, key: Node, value: Node): void {
  if (key.tag === MERGE_TAG || key.tag === VALUE_TAG) node.hasSpecialKey = true;
  node.items.push(key, value);
}
