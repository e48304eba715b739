import { Agent, handoff, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents"
import { z } from "zod"
import { check, equal, holds, key, models, url } from "./harness.mjs"

setTracingDisabled(true)

const weather = tool({
  name: "weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  execute: () => "Sun over the city",
})

for (const useResponses of [true, false]) {
  const modelProvider = new OpenAIProvider({ apiKey: key, baseURL: `${url}/v1`, useResponses })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  for (const model of models) {
    const named = (what) => `${model} ${useResponses ? "responses" : "chat"} ${what}`

    await check(named("run"), async () => {
      const agent = new Agent({ name: "Plain", instructions: "Short", model })
      equal((await runner.run(agent, "Hello you")).finalOutput, "Hello you")
    })

    await check(named("tools"), async () => {
      const agent = new Agent({ name: "Tools", model, tools: [weather] })
      const result = await runner.run(agent, "Call weather now")
      holds(result.finalOutput.includes("Sun over"), result.finalOutput)
    })

    await check(named("tools, streamed"), async () => {
      const agent = new Agent({ name: "Tools", model, tools: [weather] })
      const result = await runner.run(agent, "Call weather now", { stream: true })
      await result.completed
      holds(result.finalOutput.includes("Sun over"), result.finalOutput)
    })

    await check(named("second turn"), async () => {
      const agent = new Agent({ name: "Tools", model, tools: [weather] })
      const first = await runner.run(agent, "Call weather now")
      const again = [...first.history, { role: "user", content: "Thanks" }]
      equal((await runner.run(agent, again)).finalOutput, "Thanks")
    })

    await check(named("structured"), async () => {
      const outputType = z.object({ city: z.string(), degrees: z.number() })
      const agent = new Agent({ name: "Structured", model, outputType })
      outputType.parse((await runner.run(agent, "Rome")).finalOutput)
    })

    await check(named("handoff"), async () => {
      const other = new Agent({ name: "other", model, instructions: "Short" })
      const agent = new Agent({ name: "First", model, handoffs: [handoff(other)] })
      const result = await runner.run(agent, "Please transfer_to_other now")
      equal(result.lastAgent.name, "other")
    })
  }
}
