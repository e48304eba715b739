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

/** A link inside the console, styled as a button. */
export const LinkButton = createLink(ButtonAnchor)
export const TextLink = createLink(Anchor<"a">)
