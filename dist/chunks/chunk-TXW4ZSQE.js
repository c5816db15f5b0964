import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{dumpYaml}from"./chunk-QX6RXDAR.js";function entryText(entry){return entry.lines()??dumpYaml([entry.body()])}export{entryText};
