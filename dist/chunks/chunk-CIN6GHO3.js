import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
var PLAIN=/^[A-Za-z0-9_.,:/=%@+-]+$/;function shellWord(text){return PLAIN.test(text)?text:`'${text.replaceAll("'","'\\''")}'`}export{shellWord};
