import { SMTPServer } from "smtp-server"
import { startSimulator } from "../../simulator/server.ts"
import { startReceiver } from "../notices/receiver.ts"
import { Collector } from "../otlp/collector.ts"
import { FakeBucket } from "../support/fake-bucket.ts"
import type { Output } from "./search.ts"
import type { Addresses } from "./settings.ts"
import { startVendor } from "./vendor.ts"

/** All servers to which a gateway sends requests, with these requests. */
export class Places implements AsyncDisposable {
  readonly simulator = startSimulator()
  readonly vendor = startVendor(this.simulator)
  readonly collector = new Collector()
  readonly sink = startReceiver()
  readonly notices = startReceiver()
  readonly rejectedNotices = startReceiver(() => new Response("no", { status: 500 }))
  readonly bucket = new FakeBucket()
  readonly #bucketServer = this.bucket.listen()
  readonly #mails: string[] = []
  readonly #mailServer = mailServer(this.#mails)
  #mailPort = 0

  static async start(): Promise<Places> {
    const places = new Places()
    const { promise, resolve } = Promise.withResolvers<void>()
    const listening = places.#mailServer.listen(0, "127.0.0.1", resolve)
    await promise
    places.#mailPort = (listening.address() as { port: number }).port
    return places
  }

  get addresses(): Addresses {
    return {
      vendor: this.vendor.url,
      collector: this.collector.url,
      sink: this.sink.url,
      bucket: `http://127.0.0.1:${this.#bucketServer.port}`,
      mail: `127.0.0.1:${this.#mailPort}`,
    }
  }

  /** Returns the requests without headers, which contain the credentials for these servers. */
  outputs(): Output[] {
    const bodies = (name: string, list: readonly { body: string }[]) =>
      list.map(({ body }) => ({ name, bytes: Buffer.from(body, "latin1") }))
    return [
      ...this.collector.received.map(({ path, body }) => ({ name: `OTLP ${path}`, bytes: body })),
      ...bodies("sink", this.sink.received),
      ...bodies("notice", this.notices.received),
      ...bodies("rejected notice", this.rejectedNotices.received),
      ...this.#mails.map((mail) => ({ name: "mail", bytes: Buffer.from(mail) })),
      ...[...this.bucket.objects].map(([path, { body }]) => ({
        name: `bucket ${path}`,
        bytes: body,
      })),
    ]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.stop()
    for (const one of [
      this.vendor,
      this.collector,
      this.sink,
      this.notices,
      this.rejectedNotices,
    ]) {
      one[Symbol.dispose]()
    }
    await this.#bucketServer.stop(true)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#mailServer.close(resolve)
    await promise
  }
}

/** Returns a mail server whose first rejection repeats the password. */
function mailServer(mails: string[]): SMTPServer {
  let rejected = 0
  return new SMTPServer({
    authOptional: false,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (rejected++ === 0) callback(new Error(`the password ${password} is wrong`))
      else callback(null, { user: username })
    },
    onData(stream, _session, callback) {
      const chunks: Buffer[] = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        mails.push(Buffer.concat(chunks).toString())
        callback()
      })
    },
  })
}
