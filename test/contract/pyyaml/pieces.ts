/*
 * What random documents are made of. The pieces of a list stand in one text, with a bar between them.
 */

function pieces(text: string): string[] {
  return text.split('¦');
}

/** Unquoted texts: words, numbers, dates, and what is nearly one. */
export const WORDS: readonly string[] = [
  ...pieces('a¦b¦key¦on¦off¦yes¦No¦TRUE¦false¦null¦Null¦~¦y¦n¦x y¦two words here¦0¦1¦-1¦+1¦12¦017¦08¦0o17'),
  ...pieces('0x1F¦-0b101¦1_000¦0_¦-0x_¦0b¦12:30¦-1:59:59¦1.¦.5¦-1.5¦1e3¦1.5e+3¦1.e-2¦1_0.5¦12:30.5¦.inf'),
  ...pieces('-.INF¦+.inf¦.NaN¦.nan¦.¦._¦4503599627370496000001¦1.0¦1.7976931348623157e+308¦1.0e+400'),
  ...pieces('5.0e-324¦9007199254740993¦2026-08-03¦2026-8-3¦2026-02-30¦0000-01-01¦2026-08-03T10:00:00Z'),
  ...pieces('2026-08-03 1:00:00.5 +2:30¦2026-08-03t10:00:00-23:59¦2026-08-03 10:00:00 +99'),
  ...pieces('2026-08-03T10:00:60¦2026-08-03  9:08:07.1234567¦<<¦=¦-¦?¦:¦-a¦?a¦:a¦a:b¦a#b¦a #b¦a,b¦a?b¦a[b'),
  ...pieces('a]b¦a{b¦http://x/y?z=1¦é¦😀¦a\u00a0b¦a\u0085b¦a\u2028b¦a\u2029 b¦\ufeff¦a\ufeffb¦１２'),
  ...pieces('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx¦---'),
  ...pieces('...¦--- a'),
];

/** Parts of texts in quotation marks. */
export const QUOTED: readonly string[] = [
  ...pieces("a¦b c¦¦ ¦  x ¦# no¦: ¦, ¦- ¦'¦\"¦\\¦''¦\\\"¦\\n¦\\t¦\\x41¦\\u00e9¦\\U0001F600¦\\UFFFFFFFF"),
  ...pieces('\\x4¦\\q¦\\ ¦\\/¦\\_¦\\N¦\\L¦\\P¦\\e¦\\0¦\\ud83d¦\\\n¦\\\n  ¦\n¦\n\n¦ \n ¦\n  ¦\t¦\t\n\t¦\r\n'),
  ...pieces('\r¦\u0085¦\u2028¦\u2029\n¦\n---\n¦\n... ¦\n--- ¦😀'),
];

/** Tags, right and wrong. */
export const TAGS: readonly string[] = [
  ...pieces('!¦!!str¦!!int¦!!float¦!!bool¦!!null¦!!seq¦!!map¦!!set¦!!omap¦!!pairs¦!!binary¦!!timestamp'),
  ...pieces('!!merge¦!!value¦!!python/none¦!x¦!e!x¦!!¦!!%69nt¦!<tag:yaml.org,2002:str>¦!<!>¦!<x>¦!<x¦!%'),
  ...pieces('!!%e9¦!a,b¦!é¦!!int%C3%A9'),
];

/** Marks of the grammar, line ends and characters that mean something. */
export const INDICATORS: readonly string[] = [
  ...pieces('-¦- ¦? ¦: ¦:¦, ¦,¦[¦]¦{¦}¦#¦ #¦# c¦&a ¦*a¦*a ¦! ¦!!str ¦|¦>¦|-\n¦>+\n¦|2\n¦| #c\n¦"¦\'¦%¦@¦`¦ '),
  ...pieces('  ¦    ¦\t¦\n¦\n\n¦\n  ¦\n    ¦\n- ¦\r\n¦\r¦\u0085¦\u2028¦\u2029¦\ufeff¦---¦\n---\n¦--- '),
  ...pieces('\n...\n¦%YAML 1.1\n¦%TAG ! x\n¦<<: ¦<<: *a¦=: ¦\\¦\u0000¦\u007f¦\ud800¦😀¦\u00a0¦~¦.¦&a.b ¦?'),
  ...pieces('\n?¦\n: '),
];

export const LINE_ENDS = ['\n', '\n', '\n', '\n', '\n', '\n', '\r\n', '\r', '\u0085', '\u2028', '\u2029'];

/** Tags with texts that they take or nearly take. */
export const TYPED: readonly (readonly [string, readonly string[]])[] = [
  ['!!int', pieces('" 3 "¦"３"¦0o7¦0b0b1¦--3¦"+ 3"¦""¦"0"¦-¦"1:2: 3"¦"0x 1f"¦1e3¦"\\x1c3"¦"é3"')],
  ['!!float', pieces('3¦1e3¦"infinity"¦nan¦"-.nan"¦" 1.5 "¦"1:nan"¦""¦0x1¦"１.５"¦--1¦1:2:3.5')],
  ['!!bool', pieces('YES¦oN¦1¦""¦tRue¦"no"')],
  ['!!null', pieces('x¦""¦[]¦{=: 1}¦null')],
  ['!!timestamp', pieces('2026-1-1¦"2026-01-01"¦x¦{=: 2026-01-01}¦2026-1-1 1:01:01¦"2026-01-01T00:00:00.Z"')],
  ['!!binary', pieces('aGk=¦aGk¦aG=k¦a¦"a Gk ="¦====¦é¦"aGk=aGk="¦aa==¦YWJj¦"-_aa"')],
  ['!!str', pieces('3¦[]¦{=: 3}¦{=: {=: x}}¦~¦{a: b}¦')],
  ['!!set', pieces('{a, b}¦{1, 1.0, true}¦[a]¦{a: 1}¦{? a, ? [b]}¦{2026-01-01, 2026-01-01}¦x')],
  ['!!omap', pieces('[a: 1, b: 2]¦[a: 1, a: 2]¦[{a: 1, b: 2}]¦[a]¦{a: 1}¦[]¦[[a]: 1]')],
  ['!!pairs', pieces('[a: 1, a: 2]¦[? a]¦[{}]¦x')],
  ['!', pieces('3¦"3"¦\'yes\'¦[1]¦{a: 1}¦¦|\n  3\n¦|\n  yes\n¦>\n  ~\n¦|\n  .inf\n¦|\n  2026-01-01\n')],
  ['!!int', pieces('{=: 3}¦{=: x}¦{a: 1}¦[1]')],
];
