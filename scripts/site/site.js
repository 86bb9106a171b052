// The search: the index is on the site, and nothing is asked elsewhere. Without scripts the pages are whole but for it.
new PagefindUI({ element: '#search', showSubResults: true, showImages: false, resetStyles: false });
