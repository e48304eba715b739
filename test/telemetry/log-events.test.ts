import { expect, test } from "bun:test"
import { createEvents } from "../../src/telemetry/log-events.ts"
import type { Logger } from "../../src/telemetry/logger.ts"

test("conversations that cannot be stored are reported once a minute for each cause, and not for each response", () => {
  const told: object[] = []
  const logger = {
    error: (line: object) => told.push(line),
    isLevelEnabled: () => false,
  } as unknown as Logger
  const events = createEvents(logger)
  for (let response = 0; response < 50; response++)
    events.conversationNotStored(`req_${response}`, "full")
  events.conversationNotStored("req_50", "locked")
  expect(told).toEqual([
    { event: "conversation_not_kept", request: "req_0", error: "full" },
    { event: "conversation_not_kept", request: "req_50", error: "locked" },
  ])
})
