/** Sections that both templates share; a replacement template may use them as {{> name}}. */
export const PARTIALS: Readonly<Record<string, string>> = {
  setup: `## Experimental setup

| | |
| --- | --- |
{{#setup}}
| {{label}} | {{value}} |
{{/setup}}

## Policy and runtime configuration

| | |
| --- | --- |
{{#configuration}}
| {{label}} | {{value}} |
{{/configuration}}
`,
  comparison: `{{#hasComparison}}
## Against the baseline

| | |
| --- | --- |
{{#comparison}}
| {{label}} | {{value}} |
{{/comparison}}
{{/hasComparison}}
`,
  outcomes: `## Outcomes

| Arm | Success | Failure | Timed out | Error | Rejected | Cancelled | Lost, mismatch, conflict or missing | Not run |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{{#aggregate}}
| {{arm}} | {{succeeded}} | {{failed}} | {{timedOut}} | {{errors}} | {{rejected}} | {{cancelled}} | {{other}} | {{notRun}} |
{{/aggregate}}

The success rate is successes over valid episodes (success and failure{{#timeoutsAreFailures}}, and timed out{{/timeoutsAreFailures}}). {{roundingRule}}
`,
  tasks: `![Success rate per task with intervals]({{taskChart}})

{{#arms}}
## Tasks: {{arm}}

| Task | Language | Success rate | 95 % | Steps to success, median | Return, mean | Without valid outcome |
| --- | --- | --- | --- | --- | --- | --- |
{{#tasks}}
| {{taskId}} | {{language}} | {{rate}} | {{interval}} | {{steps}} | {{episodeReturn}} | {{lost}} |
{{/tasks}}

## Metrics: {{arm}}

| Metric | Mean | Median (95 % interval) | 95th percentile | Episodes | Missing |
| --- | --- | --- | --- | --- | --- |
{{#metrics}}
| {{metric}} | {{mean}} | {{median}} | {{p95}} | {{n}} | {{missing}} |
{{/metrics}}

{{#contended}}
{{contended}}

{{/contended}}
{{/arms}}
Time:

| | |
| --- | --- |
{{#timing}}
| {{label}} | {{value}} |
{{/timing}}

{{#contended}}
{{contended}}

{{/contended}}
`,
  rest: `## Failure analysis

{{#hasCodes}}
| Arm | Code | Episodes | Sessions | Most frequent message |
| --- | --- | --- | --- | --- |
{{#codes}}
| {{arm}} | {{code}} | {{episodes}} | {{sessions}} | {{message}} |
{{/codes}}

{{/hasCodes}}
{{^hasCodes}}
No error codes.

{{/hasCodes}}
{{#atStepLimit}}
{{.}}

{{/atStepLimit}}
{{#hasEpisodes}}
| Arm | Task | Initial state | Run | Outcome | Code | Detail | Session | Artifacts |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{{#episodes}}
| {{arm}} | {{taskId}} | {{initStateId}} | {{runIndex}} | {{outcome}} | {{code}} | {{detail}} | {{session}} | {{artifacts}} |
{{/episodes}}

{{/hasEpisodes}}
{{#omitted}}
{{.}} more episodes are in episodes.csv.

{{/omitted}}
{{#hasNameless}}
Sessions whose episode nothing tells; each counts as one that was lost:

| Session | Outcome | Code | Detail |
| --- | --- | --- | --- |
{{#nameless}}
| {{session}} | {{outcome}} | {{code}} | {{detail}} |
{{/nameless}}

{{#namelessOmitted}}
{{.}} more are in sessions.md.

{{/namelessOmitted}}
{{/hasNameless}}
## What this run could not have seen

{{#limits}}
- {{.}}
{{/limits}}

## Reproducibility

| | |
| --- | --- |
{{#reproducibility}}
| {{label}} | {{value}} |
{{/reproducibility}}
`,
};
