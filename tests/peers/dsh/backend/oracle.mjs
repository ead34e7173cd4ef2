// Asks the real store and backend of version 0: a question a line in, an answer a line out.
import readline from 'node:readline';
import { Context } from '@deepseek-ai/cordis';
import * as sessions from '@deepseek-ai/dsh-session';
import * as persistence from '@deepseek-ai/dsh-session-persistence-jsonl';

const failed = error => ({ ok: false, class: error?.constructor?.name, message: String(error?.message) });

const STEPS = {
  async list(backend) {
    return { ok: true, ids: (await backend.list()).map(header => header.id) };
  },
  async inspect(backend, { id }) {
    const { meta, events } = await backend.inspect(id);
    const answer = { ok: true, meta, events };
    try {
      answer.messages = sessions.Session.create(id, events, meta).deriveMessages();
    } catch (error) {
      answer.session = failed(error);
    }
    return answer;
  },
  async load(backend, { id }) {
    return { ok: true, count: (await backend.load(id)).events.length };
  },
  async write(backend, { header, batches }) {
    await backend.create(header);
    for (const batch of batches) await backend.append(header.id, batch);
    return { ok: true };
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  const answer = {};
  try {
    const context = new Context();
    await context.plugin(sessions.default ?? sessions.SessionStore);
    await context.plugin(persistence.default, { root: question.root, compression: question.compression });
    for (const name of question.steps) {
      try {
        answer[name] = await STEPS[name](context.sessionPersistence, question);
      } catch (error) {
        answer[name] = failed(error);
      }
    }
  } catch (error) {
    answer.error = failed(error);
  }
  console.log(JSON.stringify(answer));
}
