import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{distHash}from"./chunk-EJ2CWILA.js";import{VERSION}from"./chunk-77USX635.js";async function toolFacts(){return{version:VERSION,distHash:await distHash()}}export{toolFacts};
