/** The claim that @actions/artifact takes run and job from; nobody checks the signature. */
export function runtimeToken(runId: number, job: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ scp: `Actions.Example Actions.Results:${runId}:${job}` })}.none`;
}
