// Which elements are moved into others by `aria-owns`: https://www.w3.org/TR/wai-aria-1.2/#aria-owns

import { attribute, elementWithId, rootOf } from '../dom/natives';
import { holds } from '../dom/tree';
import { remember } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';

interface Owners {
  ownerOf: Map<Element, Element>;
  ownedBy: Map<Element, Element[]>;
}

/** All owners of the page and what they own, kept until it changes. */
export const ownersOfElements = (): Owners => remember('owners', collectOwners);

function collectOwners(): Owners {
  const owners: Owners = { ownerOf: new Map(), ownedBy: new Map() };
  for (const owner of queryPage('[aria-owns]')) {
    for (const id of (attribute(owner, 'aria-owns') ?? '').trim().split(/\s+/)) {
      const element = elementWithId(rootOf(owner), id);
      if (!element || owners.ownerOf.has(element) || holds(element, owner)) continue;
      owners.ownerOf.set(element, owner);
      const owned = owners.ownedBy.get(owner);
      if (owned) owned.push(element);
      else owners.ownedBy.set(owner, [element]);
    }
  }
  return owners;
}
