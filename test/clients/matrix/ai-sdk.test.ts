import {
  AI_SDK_ANTHROPIC_CLIENT,
  AI_SDK_CHAT_CLIENT,
  AI_SDK_OPEN_RESPONSES_CLIENT,
  AI_SDK_RESPONSES_CLIENT,
} from "./ai-sdk-clients.ts"
import { describeSharedCases } from "./shared-cases.ts"
import { describeSharedFailures } from "./shared-failures.ts"
import { sixUpstreams } from "./six-upstreams.ts"

const upstreams = sixUpstreams()

const CLIENTS = [
  AI_SDK_CHAT_CLIENT,
  AI_SDK_RESPONSES_CLIENT,
  AI_SDK_OPEN_RESPONSES_CLIENT,
  AI_SDK_ANTHROPIC_CLIENT,
]

for (const client of CLIENTS) {
  describeSharedCases(client, upstreams)
  describeSharedFailures(client, upstreams)
}
