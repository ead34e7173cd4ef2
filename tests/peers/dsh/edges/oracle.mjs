// Asks the real steps from version to version: a question a line in, an answer a line out.
import readline from 'node:readline';
import { SessionFormatEventCollector } from '@deepseek-ai/dsh-session-format';
import * as first from '@deepseek-ai/dsh-session-format-v0-to-v1';
import * as second from '@deepseek-ai/dsh-session-format-v1-to-v2';
import * as third from '@deepseek-ai/dsh-session-format-v2-to-v3';

const CODECS = [
  first.releasedV0SessionFormatCodec,
  first.releasedV1SessionFormatCodec,
  second.releasedV2SessionFormatCodec,
  third.releasedV3SessionFormatCodec,
];
const STEPS = [first.sessionFormatV0ToV1, second.sessionFormatV1ToV2, third.sessionFormatV2ToV3];
const KNOWN_1 = new Set(first.RELEASED_V0_EVENT_TYPES);
const KNOWN_2 = new Set([...second.RELEASED_V2_EVENT_TYPES, 'feedback/message-put', 'feedback/message-delete']);
const KNOWN_3 = new Set([...KNOWN_2, 'system/message', 'tool/ptc-dispatch-start', 'tool/ptc-dispatch']);
for (const old of ['tool/code-dispatch-start', 'tool/code-dispatch']) KNOWN_3.delete(old);
const RESTORE = [
  log => log,
  log => first.restoreReleasedV1Artifact(log, KNOWN_1),
  log => second.restoreReleasedV2Artifact(log, KNOWN_2),
  log => third.restoreReleasedV3Artifact(log, KNOWN_3),
];

const failed = error => ({ ok: false, class: error.constructor.name, message: String(error.message) });

// A line that is no JSON is a row that no decoder takes.
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function decoded(text, version, recovery) {
  const rows = text.split('\n').slice(0, -1).map(parsed);
  const collector = new SessionFormatEventCollector();
  const decoder = CODECS[version].createDecoder(rows[0], recovery);
  for (const row of rows.slice(1)) decoder.decodeRow(row, collector);
  const inheritedEventCount = decoder.finish(collector);
  return { header: decoder.header, inheritedEventCount, events: collector.values };
}

function headerRow(log) {
  const codec = CODECS[log.header.version];
  if (codec.encodeHeader) return codec.encodeHeader(log.header, log.inheritedEventCount);
  const { isSeeded, version, id, createdAt, cwd, parentSession, origin, delegationDepth, agentPreset } = log.header;
  const seedLength = isSeeded ? log.inheritedEventCount : undefined;
  // Members that are undefined are left out when it is written.
  return { type: 'session', version, id, createdAt, cwd, parentSession, seedLength, origin, delegationDepth, agentPreset };
}

function encoded(log) {
  const codec = CODECS[log.header.version];
  const rows = log.events.map(event => (codec.encodeEvent ? codec.encodeEvent(event) : event));
  return [headerRow(log), ...rows].map(row => JSON.stringify(row)).join('\n') + '\n';
}

function moved(step, log, sourceKind) {
  const targetHeader = step.migrateHeader(log.header);
  step.validateTargetHeader(targetHeader);
  const collector = new SessionFormatEventCollector();
  const stage = step.createStage({
    sourceHeader: log.header,
    targetHeader,
    sourceInheritedEventCount: log.inheritedEventCount,
    sourceKind,
  });
  for (const event of log.events) stage.transformEvent(event, collector);
  const inheritedEventCount = stage.finish(collector);
  return { header: targetHeader, inheritedEventCount, events: collector.values };
}

const ANSWERS = {
  // Whether the program of a version takes a log of its own, strictly or after a crash.
  native({ text, version }) {
    const answer = {};
    for (const recovery of ['strict', 'recoverable']) {
      try {
        const log = RESTORE[version](decoded(text, version, recovery));
        answer[recovery] = { ok: true, events: log.events.length, inherited: log.inheritedEventCount };
      } catch (error) {
        answer[recovery] = failed(error);
      }
    }
    return answer;
  },
  // The log in every later version, or why not.
  migrate({ text, version }) {
    const answer = {};
    let log;
    let refused;
    try {
      log = decoded(text, version, 'recoverable');
    } catch (error) {
      refused = failed(error);
    }
    for (let from = version; from < STEPS.length; from++) {
      if (!refused) {
        try {
          log = RESTORE[from + 1](moved(STEPS[from], log, from === version ? 'decoded' : 'transformed'));
        } catch (error) {
          refused = failed(error);
        }
      }
      answer[from + 1] = refused ?? { ok: true, inherited: log.inheritedEventCount, text: encoded(log) };
    }
    return answer;
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  console.log(JSON.stringify(ANSWERS[question.ask](question)));
}
