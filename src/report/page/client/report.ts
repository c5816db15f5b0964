import { connectFilters } from './filters.ts';
import { connectGrid } from './grid.ts';
import { makeSortable } from './sorting.ts';

makeSortable(document);
connectGrid();
connectFilters();
