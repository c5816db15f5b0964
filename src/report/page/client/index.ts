import { tellAges } from './ages.ts';
import { connectHistory } from './history.ts';
import { makeSortable } from './sorting.ts';

makeSortable(document);
tellAges();
connectHistory();
