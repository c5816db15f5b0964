import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A key and a certificate of 127.0.0.1 that signed itself and is good until 2126: for servers of tests, and known to everybody. */
const KEY = [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgASkEUwffpJ9PMSfHRE4nQvM/6v/tjcImmpMvHck6V5',
  '2hRANCAASyI+CHbFW3uPGwZTn0LO3H0yK6pm3GoCX8SsX9161G2mx/RDmj2yoW9RVqhEkRd3F+8H10qI2GCAxAFeXg',
  'ZPs6',
].join('');
const CERTIFICATE = [
  'MIIBjzCCATagAwIBAgIUMYUfRXOxv0jpIQSVoiHj4QnvnU8wCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJMTI3LjAuMC',
  '4xMCAXDTI2MTEzMDE5MTM0MVoYDzIxMjYxMTA2MTkxMzQxWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjO',
  'PQIBBggqhkjOPQMBBwNCAASyI+CHbFW3uPGwZTn0LO3H0yK6pm3GoCX8SsX9161G2mx/RDmj2yoW9RVqhEkRd3F+8H',
  '10qI2GCAxAFeXgZPs6o2QwYjAdBgNVHQ4EFgQUKDz+3ilJSb5DGmmKIl+XnX5bknwwHwYDVR0jBBgwFoAUKDz+3ilJ',
  'Sb5DGmmKIl+XnX5bknwwDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQCIE',
  'WZXDnEqkb2+M3yuHTEoIZQ1NPOxNPa/xbbB05OwSaYAiBvyHIGJgjL4NiDYAg6Z2j+ex2AJWBF+WeIZNLbw5+wUg==',
].join('');

/** In PEM. */
export function loopbackTls(): { readonly key: string; readonly cert: string } {
  const key = createPrivateKey({ key: Buffer.from(KEY, 'base64'), format: 'der', type: 'pkcs8' });
  return {
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: new X509Certificate(Buffer.from(CERTIFICATE, 'base64')).toString(),
  };
}
