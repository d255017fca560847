import type { ElementType, Modifier } from './protocol';

/** An element with what the scanner has found out about it. */
export interface Candidate {
  readonly element: Element;
  /** The frame element whose document it is in; null for the document that commands read. */
  readonly frame: Element | null;
  readonly tag: string;
  /** It is a control, and no mere listener or element with a pointer cursor. */
  readonly strong: boolean;
  /** It is not interactive: a command has named it. */
  readonly passive?: boolean;
  /** Its container listens for it. */
  readonly delegates?: boolean;
  /** The states that attributes decide; undefined until somebody asks for them. */
  toggles?: readonly Modifier[];
  type: ElementType;
  role: string;
  /** Modifiers that attributes alone decide. */
  fixed: readonly Modifier[];
  /** `aria-hidden` or `inert` takes it away. */
  concealed: boolean;
  /** Its name; undefined until somebody asks for it. */
  text?: string | undefined;
}

export type Facts = Map<Element, Candidate>;
