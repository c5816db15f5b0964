import { parentPort } from 'node:worker_threads';
import { type Answer, Bench, type Order } from './studio.ts';

/** The program of the thread in which film strips are made. */
const bench = new Bench();
parentPort?.on('message', (order: Order) => {
  const answer: Answer = { id: order.id, developed: developedBy(order) };
  parentPort?.postMessage(answer);
});

/** What one message does wrong must not cost the others theirs. */
function developedBy(order: Order): Answer['developed'] {
  try {
    return bench.do(order);
  } catch {
    return null;
  }
}
