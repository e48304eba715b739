/**
 * Loaded into a node before its program. On every thread, it shifts the wall clock by the value in a file. Monotonic
 * time is unchanged, as on a machine whose clock is set.
 */
const file = process.env["TORTURE_CLOCK"]

if (file !== undefined) {
  const shift = new Float64Array(Bun.mmap(file, { shared: true }).buffer)
  const RealDate = Date
  const now = (): number => RealDate.now() + (shift[0] ?? 0)
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values: unknown[], made) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, made) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  })
  globalThis.Worker = new Proxy(Worker, {
    construct: (target, [address, options]: [string, WorkerOptions?], made) =>
      Reflect.construct(
        target,
        [address, { ...options, preload: [import.meta.path] }],
        made,
      ) as Worker,
  })
}
