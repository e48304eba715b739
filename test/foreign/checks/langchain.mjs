import { ChatAnthropic } from "@langchain/anthropic"
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai"
import { z } from "zod"
import { check, equal, holds, key, models, PIXEL, url } from "./harness.mjs"

const openai = { apiKey: key, configuration: { baseURL: `${url}/v1` }, maxRetries: 0 }
const FACES = {
  chat: (model) => new ChatOpenAI({ ...openai, model }),
  responses: (model) => new ChatOpenAI({ ...openai, model, useResponsesApi: true }),
  messages: (model) =>
    new ChatAnthropic({ apiKey: key, anthropicApiUrl: url, model, maxTokens: 999, maxRetries: 0 }),
}
const weather = tool(() => "Sun", {
  name: "weather",
  description: "The weather of a city",
  schema: z.object({ city: z.string() }),
})

async function joined(stream) {
  let whole
  for await (const chunk of await stream) whole = whole === undefined ? chunk : whole.concat(chunk)
  return whole
}

for (const model of models) {
  for (const [face, modelOf] of Object.entries(FACES)) {
    const named = (what) => `${model} ${face} ${what}`
    const llm = modelOf(model)

    await check(named("invoke"), async () => {
      const answer = await llm.invoke([new SystemMessage("Short"), new HumanMessage("Hello you")])
      equal(answer.text, "Hello you")
      holds(answer.usage_metadata.total_tokens > 0, "no usage")
    })

    await check(named("stream"), async () => {
      const whole = await joined(llm.stream("Hello stream"))
      equal(whole.text, "Hello stream")
      holds(whole.usage_metadata.total_tokens > 0, "no usage")
    })

    await check(named("tools"), async () => {
      const bound = llm.bindTools([weather])
      const messages = [new HumanMessage("Call weather now")]
      const first = await bound.invoke(messages)
      const result = new ToolMessage({ content: "Sun", tool_call_id: first.tool_calls[0].id })
      const second = await bound.invoke([...messages, first, result])
      equal(second.text, "The tools answered: Sun")
      const third = [...messages, first, result, second, new HumanMessage("Thanks")]
      equal((await bound.invoke(third)).text, "Thanks")
    })

    await check(named("tools, streamed"), async () => {
      const whole = await joined(llm.bindTools([weather]).stream("Call weather now"))
      equal(
        whole.tool_calls.map((call) => call.name),
        ["weather"],
      )
    })

    await check(named("structured"), async () => {
      const schema = z.object({ city: z.string(), degrees: z.number() })
      schema.parse(await llm.withStructuredOutput(schema).invoke("Rome"))
    })

    await check(named("image"), async () => {
      const link = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }
      const answer = await llm.invoke([
        new HumanMessage({ content: [{ type: "text", text: "See" }, link] }),
      ])
      holds(answer.text.includes("See"), answer.text)
    })
  }
}

await check("embeddings", async () => {
  const made = new OpenAIEmbeddings({ ...openai, model: "sandbox/embed" })
  equal((await made.embedDocuments(["a", "b"])).length, 2)
})
