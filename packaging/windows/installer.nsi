; The installer for Windows: for one user, without administrator's rights.
; Compiled by packaging/windows/installer.py, which gives VERSION, NUMBERS, TREE (the folder that
; PyInstaller made), OUTPUT, and INCLUDES (contents.nsh: what of the tree is removed again).

Unicode true
SetCompressor /SOLID lzma
RequestExecutionLevel user
ManifestDPIAware true
!include MUI2.nsh
!include FileFunc.nsh
!addincludedir "${INCLUDES}"

!define TITLE "Ensemble Studio"
!define PROGRAM "ensemble-studio.exe"
!define DOCUMENT "EnsembleStudio.Document"
!define CLASSES "Software\Classes"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\EnsembleStudio"

Name "${TITLE}"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\${TITLE}"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
BrandingText "${TITLE} ${VERSION}"
VIProductVersion "${NUMBERS}"
VIAddVersionKey "ProductName" "${TITLE}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Installs ${TITLE}"
VIAddVersionKey "LegalCopyright" "MIT licence"

!define MUI_ICON "studio.ico"
!define MUI_UNICON "studio.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\${PROGRAM}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "French"

LangString InUse ${LANG_ENGLISH} "${TITLE} is at work, or a run of it. Close its windows, let its runs end or stop them, then try again."
LangString InUse ${LANG_FRENCH} "${TITLE} est en marche, ou une de ses recherches. Fermez ses fenêtres, laissez finir ses recherches ou arrêtez-les, puis réessayez."
LangString DocumentName ${LANG_ENGLISH} "${TITLE} document"
LangString DocumentName ${LANG_FRENCH} "Document ${TITLE}"
LangString Comment ${LANG_ENGLISH} "Find the best prediction for a table, and see why it is the best"
LangString Comment ${LANG_FRENCH} "Trouver la meilleure prédiction pour un tableau, et voir pourquoi c’est la meilleure"

; A program that runs cannot be opened for writing: nothing is touched then. Quiet installs give up.
!macro RefuseInUse UN
Function ${UN}RefuseInUse
  again:
  Push "$INSTDIR\${PROGRAM}"
  Call ${UN}IsFree
  Pop $0
  Push "$INSTDIR\studio.exe"
  Call ${UN}IsFree
  Pop $1
  IntOp $0 $0 & $1
  IntCmp $0 1 free
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(InUse)" /SD IDCANCEL IDRETRY again
  SetErrorLevel 2
  Quit
  free:
FunctionEnd

; Takes a file, leaves 1 where it is not there or may be replaced, else 0.
Function ${UN}IsFree
  Exch $0
  IfFileExists "$0" 0 free
  ClearErrors
  FileOpen $0 "$0" a
  IfErrors busy
  FileClose $0
  free:
  StrCpy $0 1
  Exch $0
  Return
  busy:
  StrCpy $0 0
  Exch $0
FunctionEnd
!macroend
!insertmacro RefuseInUse ""
!insertmacro RefuseInUse "un."

Section
  SetOutPath "$INSTDIR"
  Call RefuseInUse
  ; Of an older version only what is known by name: the folder may hold what is the user's.
  IfFileExists "$INSTDIR\Uninstall.exe" 0 +2
  ExecWait '"$INSTDIR\Uninstall.exe" /S _?=$INSTDIR'
  File /r "${TREE}/*"
  File "document.ico"
  WriteUninstaller "$INSTDIR\Uninstall.exe"

  CreateShortcut "$SMPROGRAMS\${TITLE}.lnk" "$INSTDIR\${PROGRAM}" "" "" "" "" "" "$(Comment)"

  WriteRegStr HKCU "${CLASSES}\.studio" "" "${DOCUMENT}"
  WriteRegStr HKCU "${CLASSES}\.studio\OpenWithProgids" "${DOCUMENT}" ""
  WriteRegStr HKCU "${CLASSES}\.studio" "Content Type" "application/x-ensemble-studio"
  WriteRegStr HKCU "${CLASSES}\${DOCUMENT}" "" "$(DocumentName)"
  WriteRegStr HKCU "${CLASSES}\${DOCUMENT}\DefaultIcon" "" "$INSTDIR\document.ico"
  WriteRegStr HKCU "${CLASSES}\${DOCUMENT}\shell\open\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
  WriteRegStr HKCU "${CLASSES}\Applications\${PROGRAM}" "FriendlyAppName" "${TITLE}"

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${TITLE}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "${TITLE}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\${PROGRAM}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\Uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\Uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
  ${RefreshShellIcons}
SectionEnd

Section "Uninstall"
  Call un.RefuseInUse
  !include contents.nsh
  Delete "$INSTDIR\document.ico"
  Delete "$INSTDIR\Uninstall.exe"
  SetOutPath "$TEMP"
  RMDir "$INSTDIR" ; stays where it holds anything of the user's
  Delete "$SMPROGRAMS\${TITLE}.lnk"

  ReadRegStr $0 HKCU "${CLASSES}\.studio" ""
  StrCmp $0 "${DOCUMENT}" 0 +2 ; another program may have taken the documents over
  DeleteRegValue HKCU "${CLASSES}\.studio" ""
  DeleteRegValue HKCU "${CLASSES}\.studio" "Content Type"
  DeleteRegValue HKCU "${CLASSES}\.studio\OpenWithProgids" "${DOCUMENT}"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.studio\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.studio"
  DeleteRegKey HKCU "${CLASSES}\${DOCUMENT}"
  DeleteRegKey HKCU "${CLASSES}\Applications\${PROGRAM}"
  DeleteRegKey HKCU "${UNINSTALL}"
  ${un.RefreshShellIcons}
SectionEnd
