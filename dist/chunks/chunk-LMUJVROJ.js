import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
var TERMINAL_STATUSES=new Set(["succeeded","failed","timed_out","cancelled","rejected","replanned"]),UNSETTLED=new Set(["awaiting_verification","verifying","awaiting_replan"]);export{TERMINAL_STATUSES,UNSETTLED};
