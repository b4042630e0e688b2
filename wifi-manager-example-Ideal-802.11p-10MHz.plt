set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Ideal-802.11p-10MHz.eps"
set title "Results for 802.11p-10MHz with Ideal\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [0:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11p-10MHz-rate selected" with lines, "-"  title "802.11p-10MHz-observed" with lines
27 27
26 27
25 27
24 27
23 27
22 24
21 24
20 18
19 18
18 18
17 18
16 12
15 12
14 12
13 9
12 9
11 9
10 9
9 6
8 6
7 4.5
6 3
5 3
4 3
3 3
e
27 13.697
26 13.7462
25 13.7298
24 13.7708
23 13.7462
22 12.8369
21 12.8451
20 10.8544
19 10.8462
18 10.9117
17 10.8544
16 8.28211
15 8.23296
14 8.28211
13 6.61914
12 6.61094
11 6.61094
10 6.59456
9 4.77594
8 4.78413
7 3.71098
6 2.60506
5 2.59686
4 2.59686
3 2.59686
e
