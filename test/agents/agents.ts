import type { Agent } from "./agent.ts"
import { CLAUDE_WAYS } from "./claude.ts"
import { CLINE_AGENT } from "./cline.ts"
import { CODEX_WAYS } from "./codex.ts"
import { CONTINUE_WAYS } from "./continue.ts"
import { COPILOT_WAYS } from "./copilot.ts"
import { GEMINI } from "./gemini.ts"
import { OPENCODE_WAYS } from "./opencode.ts"
import { PI_WAYS } from "./pi.ts"
import { QWEN_WAYS } from "./qwen.ts"

/** The tested agents, each in exactly this version. */
export const AGENTS: readonly Agent[] = [
  ...CLAUDE_WAYS,
  ...CODEX_WAYS,
  ...OPENCODE_WAYS,
  GEMINI,
  ...COPILOT_WAYS,
  CLINE_AGENT,
  ...CONTINUE_WAYS,
  ...QWEN_WAYS,
  ...PI_WAYS,
]
