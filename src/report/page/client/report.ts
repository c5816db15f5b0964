import { readEpisodes } from './episode-model.ts';
import { connectEpisodes } from './episode-table.ts';
import { connectGrid } from './grid.ts';
import { connectLater } from './later.ts';
import { makeSortable } from './sorting.ts';

const episodes = readEpisodes();
makeSortable(document);
connectLater();
if (episodes !== null) {
  connectGrid(episodes);
  connectEpisodes(episodes);
}
