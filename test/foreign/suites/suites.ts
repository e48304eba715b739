import type { Row } from "../outcomes.ts"
import type { Target } from "../target.ts"
import { llmprobe } from "./llmprobe.ts"
import { openResponses } from "./open-responses.ts"
import { openaiPython } from "./openai-python.ts"
import { anthropicTypescript, openaiNode } from "./sdk-tests.ts"

/** A test suite that strangers wrote. */
interface ForeignSuite {
  readonly name: string
  /** @param root the folder into which it may install packages. */
  run(root: string, target: Target): Promise<Row>
}

/** The suites that run after the clients, in this order. */
export const SUITES: readonly ForeignSuite[] = [
  { name: "llmprobe", run: llmprobe },
  { name: "open-responses", run: openResponses },
  { name: "openai-node", run: openaiNode },
  { name: "openai-python-tests", run: openaiPython },
  { name: "anthropic-sdk-typescript", run: anthropicTypescript },
]
