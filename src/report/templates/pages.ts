/** What both templates begin with, below their title. */
const HEAD = `**{{verdictLine}}**

Target {{target}}, skill runtime {{skillruntime}}, {{time}}. Run {{runId}}.

## Verdict

{{#reasons}}
- {{.}}
{{/reasons}}
{{^reasons}}
- no rule applied
{{/reasons}}
{{#hasWarnings}}

Warnings:

{{#warnings}}
- {{.}}
{{/warnings}}
{{/hasWarnings}}

{{> setup}}`;

/** The report of a LIBERO suite. A user may replace it; names between braces are those of the report's context. */
export const LIBERO_TEMPLATE = `# LIBERO benchmark: {{title}}

${HEAD}

## Success rate

| Arm | Success rate | 95 % | Mean of tasks | Over planned | Planned | Recorded | Valid |
| --- | --- | --- | --- | --- | --- | --- | --- |
{{#aggregate}}
| {{arm}} | {{rate}} | {{interval}} | {{macro}} | {{overPlanned}} | {{planned}} | {{recorded}} | {{valid}} |
{{/aggregate}}

{{> comparison}}

{{> outcomes}}

{{> tasks}}

{{> rest}}`;

/** The report of any other suite. */
export const GENERIC_TEMPLATE = `# Benchmark {{title}}

${HEAD}

## Results

| Arm | Success rate | 95 % | Over planned | Planned | Recorded | Valid |
| --- | --- | --- | --- | --- | --- | --- |
{{#aggregate}}
| {{arm}} | {{rate}} | {{interval}} | {{overPlanned}} | {{planned}} | {{recorded}} | {{valid}} |
{{/aggregate}}

{{> comparison}}

{{> outcomes}}

{{> tasks}}

{{> rest}}`;
