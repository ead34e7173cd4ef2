// The v1-to-v2 step takes one class from @deepseek-ai/dsh-llm, which no published version of the
// right age exports. This is a re-implementation of that class from the description of the format.
const DELTAS = {
  'text-delta': ['text-chunks', 'texts', 'text'],
  'reasoning-delta': ['reasoning-chunks', 'texts', 'text'],
  'tool-call-delta': ['tool-call-chunks', 'args', 'argumentsDelta'],
};
export class AssistantStreamAccumulator {
  #records = []; #last = 0;
  push({ time, chunk }) {
    const kind = DELTAS[chunk.type];
    if (!kind) { this.#records.push({ type: 'chunk', time, chunk }); return; }
    const [type, list, text] = kind;
    const r = this.#records.at(-1);
    const same = r && r.type === type && r.index === chunk.index && r.id === chunk.id && ('name' in r) === ('name' in chunk) && r.name === chunk.name;
    if (same) { r.dt.push(time - this.#last); r[list].push(chunk[text]); }
    else {
      const n = { type, time0: time, index: chunk.index, dt: [] };
      if ('id' in chunk) n.id = chunk.id;
      if ('name' in chunk) n.name = chunk.name;
      n[list] = [chunk[text]];
      this.#records.push(n);
    }
    this.#last = time;
  }
  snapshot() { return this.#records; }
}
