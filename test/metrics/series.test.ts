import { expect, test } from "bun:test"
import { MetricRegistry, textOf } from "../../src/metrics/registry.ts"
import { counter, histogram } from "../../src/metrics/series.ts"
import { samplesOf, valueOf } from "./samples.ts"

test("a value counts in each bucket whose bound it does not exceed, and only in its own series", () => {
  const metric = histogram("size", { help: "", labels: ["place"], buckets: [1, 2, 5] })
  for (const value of [0, 1, 1.5, 5, 5.1]) metric.labels({ place: "here" }).observe(value)
  metric.labels({ place: "there" }).observe(2)
  const { values } = metric.snapshot()
  const of = (place: string) =>
    values.filter(({ labels }) => labels["place"] === place).map(({ value }) => value)
  // The buckets up to 1, 2, 5 and infinity, then the sum and the count.
  expect(of("here")).toEqual([2, 3, 4, 5, 12.6, 5])
  expect(of("there")).toEqual([0, 1, 1, 1, 2, 1])
})

test("metric labels have the defined order, missing labels are empty, and unknown labels are dropped", () => {
  const metric = counter("calls", { help: "", labels: ["place", "fate"] })
  metric.labels({ place: "a", fate: "b" }).add()
  metric.labels({ fate: "b", place: "a" }).add(2)
  metric.labels({ place: "a", more: "c" }).add()
  expect(metric.snapshot().values).toEqual([
    { labels: { place: "a", fate: "b" }, value: 3 },
    { labels: { place: "a", fate: "" }, value: 1 },
  ])
})

test("metric series of several processes are added up", async () => {
  const processes = [new MetricRegistry(), new MetricRegistry()]
  for (const [index, registry] of processes.entries()) {
    registry
      .counter("tollgate_spans_total")
      .labels({ outcome: "sent" })
      .add(index + 1)
    registry.histogram("tollgate_settlement_duration_seconds").labels({}).observe(0.002)
  }
  const text = await textOf(await Promise.all(processes.map((registry) => registry.snapshot())))
  const found = samplesOf(text)
  expect(valueOf(found, "tollgate_spans_total", { outcome: "sent" })).toBe(3)
  expect(valueOf(found, "tollgate_settlement_duration_seconds_count")).toBe(2)
  expect(valueOf(found, "tollgate_settlement_duration_seconds_bucket", { le: "0.001" })).toBe(0)
  expect(valueOf(found, "tollgate_settlement_duration_seconds_bucket", { le: "0.0025" })).toBe(2)
})
