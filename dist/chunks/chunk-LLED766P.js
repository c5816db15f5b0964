import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{dumpYaml}from"./chunk-Y2LNLO2L.js";function entryText(entry){return entry.lines()??dumpYaml([entry.body()])}export{entryText};
