import { expect, test } from "bun:test"
import { modelAt, SixUpstreams, UPSTREAMS } from "../matrix/six-upstreams.ts"

const TASK = 'call Edit {"file_path":"a.txt","old_string":"a"}\ncall Bash {"command":"ls"}'
const TOOLS = ["Edit", "Bash"].map((name) => ({ name, input_schema: { type: "object" } }))

interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly input?: object
}

test("an agent that adds arguments to a call can continue with every vendor", async () => {
  const upstreams = new SixUpstreams()
  await upstreams.start()
  try {
    for (const upstream of UPSTREAMS) {
      const model = modelAt(upstream)
      const ask = async (messages: readonly object[]): Promise<readonly Block[]> => {
        const body = { model, max_tokens: 1_000, tools: TOOLS, messages }
        const response = await upstreams.caller.post("/v1/messages", body)
        expect([upstream, response.status]).toEqual([upstream, 200])
        return ((await response.json()) as { content: Block[] }).content
      }
      const task = { role: "user", content: TASK }
      const content = (await ask([task])).map((block) =>
        block.type === "tool_use" ? { ...block, input: { ...block.input, all: false } } : block,
      )
      const tool_use_id = content.find((block) => block.type === "tool_use")?.id
      const results = [{ type: "tool_result", tool_use_id, content: "edited" }]
      const next = await ask([
        task,
        { role: "assistant", content },
        { role: "user", content: results },
      ])
      expect(next.find((block) => block.type === "tool_use")?.name).toBe("Bash")
    }
  } finally {
    await upstreams.stop()
  }
})
