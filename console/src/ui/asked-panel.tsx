import { Skeleton } from "@mantine/core"
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ErrorNotice } from "./error-notice.tsx"
import { Panel, type PanelProperties } from "./panel.tsx"
import { t } from "../languages/text.ts"

export interface AskedPanelProperties<RouteResponse> extends Omit<
  PanelProperties,
  "children" | "title"
> {
  readonly title: string
  readonly asked: Pick<UseQueryResult<RouteResponse>, "data" | "error" | "refetch">
  readonly children: (response: RouteResponse) => ReactNode
}

/** A panel with its own query. If the query fails, the rest of the page is unaffected and the existing data stays. */
export function AskedPanel<RouteResponse>({
  asked,
  children,
  ...panel
}: AskedPanelProperties<RouteResponse>) {
  const { data, error, refetch } = asked
  return (
    <Panel {...panel}>
      <ErrorNotice
        error={error}
        title={t("{title} could not be loaded", { title: panel.title })}
        retry={() => void refetch()}
      />
      {data === undefined ? error === null && <Skeleton height={160} /> : children(data)}
    </Panel>
  )
}
