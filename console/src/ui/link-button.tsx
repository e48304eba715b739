import { Anchor, Button, type ButtonProps } from "@mantine/core"
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, Ref } from "react"

interface ButtonAnchorProperties
  extends ButtonProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> {
  readonly ref?: Ref<HTMLAnchorElement>
}

function ButtonAnchor(properties: ButtonAnchorProperties) {
  return <Button component="a" {...properties} />
}

/** Internal links, styled as a button and as a link. */
export const LinkButton = createLink(ButtonAnchor)
export const TextLink = createLink(Anchor<"a">)
