/**
 * A separate process that sends chats to a gateway one after another until its input ends. Then it reports its waiting
 * times, which do not include work of the attacker.
 */
import { stdin } from "node:process"

const [url = "", key = "", model = ""] = process.argv.slice(2)

const found = { served: 0, longest: 0, failures: [] as string[] }
const input = { isOver: false }
stdin.on("end", () => {
  input.isOver = true
})
stdin.resume()

while (!input.isOver) {
  const start = performance.now()
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  })
  const text = await response.text()
  if (response.status === 200) found.served++
  else found.failures.push(text)
  found.longest = Math.max(found.longest, performance.now() - start)
}
process.stdout.write(JSON.stringify(found))
process.exit(0)
