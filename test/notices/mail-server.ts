import { SMTPServer } from "smtp-server"

/** Starts a mail server with the user `ada` and the password `secret`. */
export async function startMailServer(onMail: (mail: string, to: readonly string[]) => void) {
  const server = new SMTPServer({
    authOptional: false,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === "ada" && password === "secret") callback(null, { user: username })
      else callback(new Error(`the password ${password} is wrong`))
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        onMail(
          Buffer.concat(chunks).toString(),
          envelope.rcptTo.map(({ address }) => address),
        )
        callback()
      })
    },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const listening = server.listen(0, "127.0.0.1", resolve)
  await promise
  const { port } = listening.address() as { port: number }
  return {
    address: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  }
}
