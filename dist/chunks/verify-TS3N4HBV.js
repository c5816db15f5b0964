import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{verifyBundle}from"./chunk-JMSN2RHB.js";import"./chunk-IZXSP2FZ.js";import"./chunk-MU7LMUIU.js";import"./chunk-RWAIQAZD.js";import"./chunk-3EMN534A.js";import"./chunk-BDKTWRMH.js";import"./chunk-IFEDG3SV.js";import"./chunk-CRZVZHVL.js";import"./chunk-FCDMZPCQ.js";import{EXIT}from"./chunk-JUP3T5VN.js";import"./chunk-E3JWMDON.js";import*as path from"node:path";async function verify(verb){let bundleDir=path.resolve(verb.args[0]??"."),differences=await verifyBundle(bundleDir);return verb.json?verb.stdout(`${JSON.stringify({verified:differences.length===0,differences},null,2)}
`):verb.stdout(verifyText(differences)),differences.length===0?EXIT.ok:EXIT.verifyMismatch}function verifyText(differences){if(differences.length===0)return`Verified: every file is as sealed, the journal is whole, and results.json follows from raw/.
This proves integrity, not origin: who can run code as the runner can also seal a bundle.
`;let lines=differences.map(({kind,path:file,message})=>`${file}: ${message} (${kind})`);return`Not verified, ${differences.length} differences:
${lines.map(line=>`  ${line}
`).join("")}`}export{verify,verifyText};
