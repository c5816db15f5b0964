import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
var TERMINAL_STATUSES=new Set(["succeeded","failed","timed_out","cancelled","rejected","replanned"]);export{TERMINAL_STATUSES};
