// The browser code of every page. Each part looks for its own elements and does nothing without them; pages work without any of it.

import { startCopy } from "./copy";
import { startDrawer } from "./drawer";
import { startLazy } from "./lazy";
import { startMenus } from "./menus";
import { startNav } from "./nav";
import { startPreviews } from "./previews";
import { startPrint } from "./print";
import { startReach } from "./reach";
import { startScheme } from "./scheme";
import { startSearch } from "./search-dialog";
import { startSearched } from "./searched";
import { startShortcuts } from "./shortcuts";
import { startToc } from "./toc";

startScheme();
startDrawer();
startNav();
startToc();
startCopy();
startMenus();
startReach();
startPrint();
startPreviews();
startShortcuts();
startSearch();
startSearched();
startLazy();
