import type { Row } from "../outcomes.ts"
import type { Target } from "../target.ts"
import { llmprobe } from "./llmprobe.ts"
import { openResponses } from "./open-responses.ts"
import { openaiPython } from "./openai-python.ts"
import { anthropicTypescript, openaiNode } from "./sdk-tests.ts"

/** A test suite by other authors. */
interface ForeignSuite {
  readonly name: string
  /**
   * Runs the suite.
   * @param root the folder in which it may install packages.
   */
  run(root: string, target: Target): Promise<Row>
}

/** The suites, in the order in which they run after the clients. */
export const SUITES: readonly ForeignSuite[] = [
  { name: "llmprobe", run: llmprobe },
  { name: "open-responses", run: openResponses },
  { name: "openai-node", run: openaiNode },
  { name: "openai-python-tests", run: openaiPython },
  { name: "anthropic-sdk-typescript", run: anthropicTypescript },
]
